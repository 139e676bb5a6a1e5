import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { OperationMeta } from '../../src/api/operation-meta.ts';
import { proceduresOf } from '../../src/api/trpc-internals.ts';
import { appRouter } from '../../src/features/index.ts';
import { annotationsOf, userHeaders } from '../support/annotations.ts';
import { dataOf, type Headers } from '../support/answers.ts';
import { attachmentsOf } from '../support/attachments.ts';
import { organize } from '../support/directory.ts';
import { allEvents } from '../support/events.ts';
import { NOTIFICATION } from '../support/notifications.ts';
import { createTenant, startTestServer } from '../support/server.ts';
import { addressOf, readUntil } from '../support/subscriptions.ts';
import { body, type Content, place, recording, USER_REQUESTS } from '../support/user-requests.ts';

const procedures = Object.fromEntries(proceduresOf(appRouter));

/** An operation that user tokens may call, as the guide states it. */
interface Policy {
  name: string;
  role: 'viewer' | 'commenter' | 'editor' | undefined;
  /** What limits users beyond the role: `as oneself`, `only what the user wrote`, a setting of the key. */
  limit: string;
}

/** The table in the guide is the policy of the whole product. The tests below hold the server to it. */
async function readPolicies(): Promise<Policy[]> {
  const guide = await readFile('docs/access.md', 'utf8');
  const start = guide.indexOf('## What a user token may call');
  const section = guide.slice(start, guide.indexOf('\n## ', start));
  const rows = section.matchAll(/^\| (?:`(viewer|commenter|editor)`|none)([^|]*) \| (.*) \|$/gm);
  return [...rows].flatMap(([, role, limit = '', names = '']) =>
    [...names.matchAll(/`([\w.]+)`/g)].map(([, name = '']) => ({
      name,
      role: role as Policy['role'],
      limit: limit.replace(/^, (?:and )?/, ''),
    })),
  );
}

const policies = await readPolicies();
/** A change of the directory. Edits and events of earlier calls may be written at any time. */
const WRITE =
  /\b(?:INSERT INTO|UPDATE|DELETE FROM) (?:users|grants|organizations|folders|documents)\b/;

/**
 * Operations in which the user of the token replaces any named user. All others refuse requests that
 * name another user.
 */
const FORCED = /^(?:auth|commentAnnotations|comments|reactions|suggestions|recordings)\./;

/** The user whom others try to impersonate, and who appears in no other test. */
const VICTIM = 'victim';

const call = (path: string, data: object) => server.ok(path, data);
const upload = async (headers?: Headers): Promise<string> =>
  (await attachmentsOf(server).upload(place, undefined, {}, headers)).attachmentId;

const server = await startTestServer({ ROLES: 'api' });
const documents = [{ documentId: 'plan', accessType: 'restricted' }];
await organize(server, 'acme', { documents });
const onPlan = { type: 'document', id: 'plan', organizationId: 'acme' };
const otherTenant = await createTenant(server);
await organize(server, 'elsewhere', {}, otherTenant);
await server.app.services.events.sequence();
/** The user tokens: one for each role on the document, one without a role, and one of another tenant. */
const tokens = {
  viewer: await userHeaders(server, 'viewer', [{ ...onPlan, accessRole: 'viewer' }]),
  editor: await userHeaders(server, 'editor', [{ ...onPlan, accessRole: 'editor' }]),
  stranger: await userHeaders(server, 'stranger', []),
  foreigner: await userHeaders(server, 'editor', [], otherTenant),
};
await userHeaders(server, VICTIM, [onPlan]);
const content = await addContent();

async function addContent(): Promise<Content> {
  for (const editorId of ['body', 'quoted', 'old']) {
    await call('/v2/crdt/add', { ...place, editorId, type: 'text', data: 'Hello' });
  }
  const { versionId } = await call('/v2/crdt/versions/create', body);
  const by = (userId: string) => ({ commentText: 'Hello', from: { userId } });
  dataOf(
    await annotationsOf(server).add(place, [
      { annotationId: 'thread', commentData: ['ada', 'editor', 'ada', 'editor'].map(by) },
      { annotationId: 'reacted' },
      { annotationId: 'by-ada' },
      { annotationId: 'by-editor', commentData: [by('editor')] },
    ]),
  );
  const reacted = { ...place, annotationId: 'reacted', commentId: 1, icon: 'b' };
  await call('/v2/commentannotations/reactions/add', { ...reacted, userId: 'editor' });
  const recordings = ['ada', 'editor'].map((userId) => ({
    ...recording(userId),
    recordingId: `by-${userId}`,
  }));
  await call('/v2/recordings/add', { ...place, recordings });
  await call('/v2/notifications/add', { ...NOTIFICATION, ...place, notificationId: 'due' });
  return { versionId, attachmentId: await upload(), deletableId: await upload() };
}

const eventsOfTenant = () => allEvents(server, { limit: 1_000 });

const metaOf = (name: string) => procedures[name]?._def.meta as OperationMeta;

interface Attempt {
  /** The status of the failure, or undefined without one. */
  status: string | undefined;
  data?: unknown;
}

const isSubscription = (name: string) => procedures[name]?._def.type === 'subscription';

async function attempt(name: string, headers: Headers, input: object): Promise<Attempt> {
  if (isSubscription(name)) return subscribe(name, headers, input);
  const { path } = metaOf(name);
  const { body: answer } = await server.call(path, input, headers);
  return { status: answer.error?.status, data: answer.result?.data };
}

/** Reads the stream up to the first event or the failure. */
async function subscribe(name: string, headers: Headers, input: object): Promise<Attempt> {
  const response = await fetch(server.url + addressOf(name, input), { headers });
  const text = await readUntil(response, /serialized-error.*"status":"\w+"|^id: |"type":/ms);
  const status = /serialized-error.*"status":"(\w+)"/s.exec(text)?.[1];
  if (status === undefined && !/^id: |"type":/m.test(text)) {
    throw new Error(`The stream ended with: ${text}`);
  }
  return { status };
}

/** Whether the role is sufficient. Operations without a role are open to all users of the tenant. */
const mayCall = ({ role, limit }: Policy, caller: keyof typeof tokens): boolean => {
  if (limit.startsWith('where the key')) return false;
  if (!role) return true;
  // By default, editors alone are commenters.
  return caller === 'editor' || (caller === 'viewer' && role === 'viewer');
};

it('the guide lists the operations that accept user tokens', () => {
  const named = policies.map(({ name }) => name).sort();
  const open = Object.keys(procedures).filter((name) => metaOf(name).userToken);
  expect(named).toEqual(open.sort());
  expect(Object.keys(USER_REQUESTS).sort()).toEqual(named);
});

it.each(policies.filter(({ name }) => isSubscription(name)))(
  '$name accepts the credentials of its level, and no others',
  async ({ name }) => {
    const refused = {
      none: {},
      admin: server.adminHeaders,
      workspace: server.workspaceHeaders,
      'wrong auth token': { ...server.keyHeaders, 'x-svc-auth-token': 'wrong' },
      'forged user token': { authorization: 'Bearer e30.e30.e30' },
    };
    for (const [kind, headers] of Object.entries(refused)) {
      expect((await attempt(name, headers, {})).status, kind).toBe('PERMISSION_DENIED');
    }
    expect((await attempt(name, server.keyHeaders, {})).status).not.toBe('PERMISSION_DENIED');
  },
);

describe.each(policies)('$name with a user token', (policy) => {
  const { name, role, limit } = policy;
  const callers = ['stranger', 'foreigner', 'viewer', 'editor'] as const;
  const nameOf = (caller: (typeof callers)[number]) => (caller === 'foreigner' ? 'editor' : caller);
  const request = (userId: string) => USER_REQUESTS[name]?.(userId, content) ?? {};

  it('refuses writes without the role', async () => {
    const before = (await eventsOfTenant()).length;
    for (const caller of callers.filter((each) => !mayCall(policy, each))) {
      const statements = await server.statementsOf(async () => {
        const { status } = await attempt(name, tokens[caller], request(nameOf(caller)));
        expect(status, caller).toBe('PERMISSION_DENIED');
      });
      expect(statements.filter((text) => WRITE.test(text))).toEqual([]);
    }
    expect((await eventsOfTenant()).length).toBe(before);
  });

  const { path = '' } = metaOf(name);
  const asStranger = request('stranger');
  const isOnDocument = role && path && 'documentId' in asStranger;
  it.runIf(isOnDocument)('hides from strangers whether a document exists', async () => {
    const answerFor = async (documentId: string) =>
      (await server.call(path, { ...asStranger, documentId }, tokens.stranger)).body;
    expect(await answerFor('nowhere')).toEqual(await answerFor('plan'));
  });

  it.runIf(limit === 'as oneself')('cannot act as another user', async () => {
    const { status } = await attempt(name, tokens.editor, request(VICTIM));
    expect(status).toBe(FORCED.test(name) ? undefined : 'PERMISSION_DENIED');
  });

  it('works with the role', async () => {
    for (const caller of callers.filter((each) => mayCall(policy, each))) {
      const { status, data } = await attempt(name, tokens[caller], request(nameOf(caller)));
      expect(status, caller).toBeUndefined();
      if (limit !== 'only what the user wrote') continue;
      const outcomes = Object.values(data as object);
      expect(outcomes, limit).toMatchObject([{ success: false }, { success: true }]);
    }
  });
});

describe('a viewer of a document whose viewers may comment', () => {
  const writes = policies.filter(({ role }) => role === 'commenter' || role === 'editor');
  const setCommentAccess = (commentAccess: string) =>
    call('/v2/workspace/apikeyconfig/update', { commentAccess });
  let deletableId: string;
  beforeAll(async () => {
    await setCommentAccess('viewers');
    deletableId = await upload(tokens.viewer);
  });
  afterAll(() => setCommentAccess('editors'));

  it.each(writes)('may $role at most: $name', async ({ name, role }) => {
    const input = USER_REQUESTS[name]?.('viewer', { ...content, deletableId }) ?? {};
    const { status } = await attempt(name, tokens.viewer, input);
    if (role === 'editor') expect(status).toBe('PERMISSION_DENIED');
    else expect(status).not.toBe('PERMISSION_DENIED');
  });
});

describe('a user', () => {
  it('has changed nothing as another user or in another tenant', async () => {
    const events = (await eventsOfTenant()).filter(
      ({ type }) => !/^(user|permission)\./.test(type),
    );
    expect(JSON.stringify(events)).not.toContain(VICTIM);
    const inbox = { organizationId: 'acme', documentIds: ['plan'], userId: VICTIM };
    const [{ config }] = await call('/v2/notifications/config/get', inbox);
    expect(config.inbox).toBe('ALL');
  });

  it('may stream answers of models once the key allows it', async () => {
    const allow = (allowUserRewrites: boolean) =>
      call('/v2/workspace/apikeyconfig/update', { allowUserRewrites });
    await allow(true);
    const input = USER_REQUESTS['rewriter.stream']?.('viewer', content) ?? {};
    const { status } = await attempt('rewriter.stream', tokens.viewer, input);
    await allow(false);
    expect(status).toBeUndefined();
  });
});
