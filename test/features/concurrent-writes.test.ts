import { beforeAll, describe, expect, it } from 'vitest';
import { dataOf, fresh } from '../support/answers.ts';
import { eventsOf } from '../support/events.ts';
import { type Answer, startTestServer, type TestServer, testServer } from '../support/server.ts';

const server = testServer();
/** Another process on the same database. */
let second: TestServer;
beforeAll(async () => {
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

const V2 = '/v2/organizations';

interface Case {
  path: string;
  data(ids: string[]): object;
  message: string;
  published: Record<string, number>;
}

const CASES: Case[] = [
  {
    path: '/v1/users/add',
    data: (order) => ({ users: order.map((userId) => ({ userId, name: userId })) }),
    message: 'User added.',
    published: { 'user.add': ids.length, 'user.update': ids.length * (CALLERS - 1) },
  },
  {
    path: '/v1/users/add',
    data: (order) => ({ documentId: 'd', users: order.map((userId) => ({ userId })) }),
    message: 'User added.',
    published: { 'document.add': 1, 'user.add': ids.length },
  },
  {
    path: `${V2}/folders/add`,
    data: (order) => ({
      folders: order.map((folderId) => ({
        folderId,
        ...(folderId !== 'id0' && { parentFolderId: `id${Number(folderId.slice(2)) - 1}` }),
      })),
    }),
    message: 'Folder added.',
    published: { 'folder.add': ids.length },
  },
  {
    path: `${V2}/documents/add`,
    data: (order) => ({ documents: order.map((documentId) => ({ documentId })) }),
    message: 'Document added.',
    published: { 'document.add': ids.length },
  },
];

describe('concurrent callers', () => {
  it.each(CASES)('of $path create one organization and add each id once', async (one) => {
    const place = { organizationId: fresh('org'), createOrganization: true };
    const outcomes = await atOnce(one.path, (order) => ({ ...place, ...one.data(order) }));
    expectEachOnce(outcomes, one.message);
    expect(await publishedTypes(place.organizationId)).toMatchObject({
      'organization.add': 1,
      ...one.published,
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
