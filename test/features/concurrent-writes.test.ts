import { beforeAll, describe, expect, it } from 'vitest';
import { dataOf, fresh } from '../support/answers.ts';
import { eventsOf } from '../support/events.ts';
import { type Answer, startTestServer, type TestServer } from '../support/server.ts';

let server: TestServer;
/** Another process on the same database. */
let second: TestServer;
beforeAll(async () => {
  server = await startTestServer();
  second = await startTestServer({ DATABASE_URL: server.databaseUrl });
});

const CALLERS = 12;
const ids = Array.from({ length: 40 }, (_, index) => `id${index}`);

type Outcome = { success: boolean; id: string; message: string };

/** Sends the same call from many callers at once, each with the ids in another order. */
async function atOnce(path: string, dataFor: (ids: string[]) => object): Promise<Outcome[]> {
  const answers = await Promise.all(
    Array.from({ length: CALLERS }, (_, caller) => {
      const rotated = [...ids.slice(caller), ...ids.slice(0, caller)];
      const order = caller % 2 === 0 ? rotated : rotated.toReversed();
      const process = caller % 3 === 0 ? second : server;
      return process.call(path, dataFor(order), server.keyHeaders);
    }),
  );
  return answers.flatMap((answer) => Object.values<Outcome>(dataOf(answer)));
}

/** How many outcomes say that the id was added. */
const countAdded = (outcomes: Outcome[], message: string) =>
  Object.groupBy(
    outcomes.filter((outcome) => outcome.message === message),
    ({ id }) => id,
  );

const expectEachOnce = (outcomes: Outcome[], message: string) => {
  const added = countAdded(outcomes, message);
  expect(Object.keys(added).sort()).toEqual([...ids].sort());
  for (const id of ids) expect(added[id], id).toHaveLength(1);
  expect(outcomes).toHaveLength(CALLERS * ids.length);
};

async function publishedTypes(organizationId: string): Promise<Record<string, number>> {
  const byType = Object.groupBy(await eventsOf(server, organizationId), ({ type }) => type);
  return Object.fromEntries(Object.entries(byType).map(([type, all]) => [type, all?.length ?? 0]));
}

describe('concurrent callers', () => {
  it('create one organization and add each user once', async () => {
    const organizationId = fresh('org');
    const outcomes = await atOnce('/v1/users/add', (order) => ({
      organizationId,
      users: order.map((userId) => ({ userId, name: userId })),
    }));
    expectEachOnce(outcomes, 'User added.');
    expect(await publishedTypes(organizationId)).toEqual({
      'organization.add': 1,
      'user.add': ids.length,
      'user.update': ids.length * (CALLERS - 1),
    });
  });

  it('create one document when they add users to it', async () => {
    const organizationId = fresh('org');
    const outcomes = await atOnce('/v1/users/add', (order) => ({
      organizationId,
      documentId: 'd',
      users: order.map((userId) => ({ userId })),
    }));
    expectEachOnce(outcomes, 'User added.');
    expect(await publishedTypes(organizationId)).toMatchObject({
      'organization.add': 1,
      'document.add': 1,
    });
  });

  it('add each folder once, with its children below it', async () => {
    const organizationId = fresh('org');
    const outcomes = await atOnce('/v2/organizations/folders/add', (order) => ({
      organizationId,
      createOrganization: true,
      folders: order.map((folderId) => ({
        folderId,
        ...(folderId !== 'id0' && { parentFolderId: `id${Number(folderId.slice(2)) - 1}` }),
      })),
    }));
    expectEachOnce(outcomes, 'Folder added.');
    expect(await publishedTypes(organizationId)).toEqual({
      'organization.add': 1,
      'folder.add': ids.length,
    });
  });

  it('add each document once', async () => {
    const organizationId = fresh('org');
    const outcomes = await atOnce('/v2/organizations/documents/add', (order) => ({
      organizationId,
      createOrganization: true,
      documents: order.map((documentId) => ({ documentId })),
    }));
    expectEachOnce(outcomes, 'Document added.');
    const all = dataOf(await server.call('/v2/organizations/documents/get', { organizationId }));
    expect(all.map(({ id }: { id: string }) => id).sort()).toEqual([...ids].sort());
    expect(await publishedTypes(organizationId)).toEqual({
      'organization.add': 1,
      'document.add': ids.length,
    });
  });

  it('do all of this at the same time without a failure', async () => {
    const organizationId = fresh('org');
    const place = { organizationId, createOrganization: true };
    const some = ids.slice(0, 10);
    const call = (path: string, data: object) => server.call(path, { ...place, ...data });
    const calls: Array<() => Promise<Answer>> = Array.from({ length: 6 }).flatMap(() => [
      () => call('/v1/users/add', { users: some.map((userId) => ({ userId })) }),
      () => call('/v1/users/add', { documentId: 'id3', users: [{ userId: 'id3' }] }),
      () =>
        call('/v2/organizations/folders/add', { folders: some.map((folderId) => ({ folderId })) }),
      () =>
        call('/v2/organizations/documents/add', {
          documents: some.map((documentId) => ({ documentId })),
        }),
      () => call('/v2/auth/generate_token', { userId: 'id5', userProperties: { name: 'Five' } }),
    ]);
    const answers = await Promise.all(calls.map((run) => run()));
    expect(answers.map(({ status }) => status)).toEqual(calls.map(() => 200));
    expect(await publishedTypes(organizationId)).toMatchObject({
      'organization.add': 1,
      'folder.add': some.length,
      'document.add': some.length,
    });
  });
});
