import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createTenant, startTestServer, type TestServer } from '../../support/server.ts';

let server: TestServer;
let headers: Record<string, string>;
beforeAll(async () => {
  server = await startTestServer();
});
beforeEach(async () => {
  headers = await createTenant(server);
});

/** The triggers that decisions section 5 lists. */
const COMMENT_TRIGGERS = `newlyAdded added updated deleted approved assigned reactionAdded
  reactionDeleted statusChanged priorityChanged accessModeChanged accepted rejected
  suggestionAccepted suggestionRejected customListChanged subscribed unsubscribed`.split(/\s+/);
const ALL_ON = Object.fromEntries(COMMENT_TRIGGERS.map((name) => [name, true]));

const call = async (operation: 'get' | 'update', data: object) =>
  (await server.call(`/v2/workspace/activityconfig/${operation}`, data, headers)).body;
const get = async () => (await call('get', {})).result.data.activityServiceConfig;
const update = async (activityServiceConfig: object) => {
  const { result } = await call('update', { activityServiceConfig });
  expect(result.data.activityServiceConfig).toEqual(await get());
  return result.data.activityServiceConfig;
};

describe('workspace/activityconfig', () => {
  it('is { isEnabled: false } by default', async () => {
    expect((await call('get', {})).result.data).toEqual({
      activityServiceConfig: { isEnabled: false },
    });
  });

  it('enables every comment trigger and immutability when enabled for the first time', async () => {
    expect(await update({ isEnabled: true })).toEqual({
      isEnabled: true,
      immutable: true,
      triggers: { comment: ALL_ON },
    });
  });

  it('prefers the given fields to those defaults', async () => {
    const given = { isEnabled: true, immutable: false, triggers: { comment: { added: false } } };
    expect(await update(given)).toEqual({
      ...given,
      triggers: { comment: { ...ALL_ON, added: false } },
    });
  });

  it('keeps fields that were set before it is enabled', async () => {
    expect(await update({ triggers: { comment: { added: false } } })).toEqual({
      isEnabled: false,
      immutable: false,
      triggers: { comment: { added: false } },
    });
    expect(await update({ isEnabled: true })).toEqual({
      isEnabled: true,
      immutable: true,
      triggers: { comment: { ...ALL_ON, added: false } },
    });
  });

  it('restores no default when enabled again', async () => {
    await update({ isEnabled: true });
    await update({ immutable: false, triggers: { comment: { deleted: false } } });
    await update({ isEnabled: false });
    expect(await update({ isEnabled: true })).toEqual({
      isEnabled: true,
      immutable: false,
      triggers: { comment: { ...ALL_ON, deleted: false } },
    });
  });

  it('merges triggers deeply', async () => {
    await update({ triggers: { comment: { added: true }, recording: { added: true } } });
    const { triggers } = await update({ triggers: { recording: { deleted: false }, crdt: {} } });
    expect(triggers).toEqual({
      comment: { added: true },
      recording: { added: true, deleted: false },
      crdt: {},
    });
  });

  it.each([
    [{}, ''],
    [{ activityServiceConfig: {} }, 'activityServiceConfig'],
    [{ activityServiceConfig: { triggers: {} } }, 'activityServiceConfig'],
    [{ activityServiceConfig: { triggers: { comment: { added: 'yes' } } } }, ''],
    [{ activityServiceConfig: { triggers: { 'no name': { added: true } } } }, ''],
    [{ activityServiceConfig: { triggers: { comment: true } } }, ''],
    [
      { activityServiceConfig: { triggers: { comment: { add: true } } } },
      'activityServiceConfig.triggers.comment.add',
    ],
  ])('refuses %j', async (data, path) => {
    const { error } = await call('update', data);
    expect(error.status).toBe('INVALID_ARGUMENT');
    if (path) expect(error.details.issues[0].path).toBe(path);
    expect(await get()).toEqual({ isEnabled: false });
  });

  it.each([
    'Comment',
    'comments',
    'coment',
    'commentAnnotations',
    'comment_annotation',
    'documnet',
  ])('refuses triggers of the misspelt feature %s', async (feature) => {
    const { error } = await call('update', {
      activityServiceConfig: { triggers: { [feature]: { added: true } } },
    });
    const [issue] = error.details.issues;
    expect(issue.path).toBe(`activityServiceConfig.triggers.${feature}`);
    expect(issue.message).toMatch(/Did you mean (comment|document)\?/);
  });

  it('limits the number of triggers', async () => {
    const names = (from: number) =>
      Object.fromEntries(
        Array.from({ length: 600 }, (_, at) => [`t${from + at}${'x'.repeat(90)}`, true]),
      );
    await update({ triggers: { custom: names(0) } });
    const { error } = await call('update', {
      activityServiceConfig: { triggers: { custom: names(600) } },
    });
    expect(error).toMatchObject({ status: 'INVALID_ARGUMENT' });
    expect(Object.keys((await get()).triggers.custom)).toHaveLength(600);
  });

  it('applies all concurrent partial updates', async () => {
    const changes = COMMENT_TRIGGERS.map((name) => ({ triggers: { comment: { [name]: false } } }));
    await Promise.all(
      [{ isEnabled: true }, ...changes].map((change) =>
        call('update', { activityServiceConfig: change }),
      ),
    );
    const allOff = Object.fromEntries(COMMENT_TRIGGERS.map((name) => [name, false]));
    expect(await get()).toEqual({
      isEnabled: true,
      immutable: true,
      triggers: { comment: allOff },
    });
  });
});
