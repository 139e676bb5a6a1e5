import { beforeEach, describe, expect, it } from 'vitest';
import { dataOf, invalid, UNUSUAL_IDS } from '../support/answers.ts';
import { createTenant, testServer } from '../support/server.ts';

/** What all resources with own ids share: any id and own field, and lists in the order of ids. */

const server = testServer({ ROLES: 'api' });
let headers: Record<string, string>;

const IDS = Array.from({ length: 7 }, (_, n) => `id-${n}`);
const acme = { organizationId: 'acme' };
const plan = { ...acme, documentId: 'plan' };
const call = async (path: string, data: object) => dataOf(await server.call(path, data, headers));

interface List {
  path: string;
  query: object;
  /** The field of a row that has its id, and that of an added one where it differs. */
  id: string;
  added?: string;
  add(rows: object[]): Promise<unknown>;
  /** A query to which a page token of the list does not belong. */
  other: object;
}

const url = 'https://media.example.com/a.mp4';
const LISTS: List[] = [
  {
    path: '/v2/organizations/get',
    query: {},
    id: 'organizationId',
    add: (organizations) => call('/v2/organizations/add', { organizations }),
    other: { organizationIds: ['id-1'] },
  },
  {
    path: '/v2/organizations/folders/get',
    query: { ...acme, maxDepth: 0 },
    id: 'folderId',
    add: (folders) => call('/v2/organizations/folders/add', { ...acme, folders }),
    other: { organizationId: 'elsewhere' },
  },
  {
    path: '/v2/organizations/documents/get',
    query: acme,
    id: 'id',
    added: 'documentId',
    add: (documents) => call('/v2/organizations/documents/add', { ...acme, documents }),
    other: { documentIds: ['id-1'] },
  },
  {
    path: '/v2/organizations/usergroups/get',
    query: acme,
    id: 'groupId',
    add: (organizationUserGroups) =>
      call('/v2/organizations/usergroups/add', { ...acme, organizationUserGroups }),
    other: { organizationId: 'elsewhere' },
  },
  {
    path: '/v2/users/get',
    query: acme,
    id: 'userId',
    add: (users) => call('/v1/users/add', { ...acme, users }),
    other: { userIds: ['id-1'] },
  },
  {
    path: '/v2/recordings/get',
    query: plan,
    id: 'recordingId',
    add: (rows) => {
      const recordings = rows.map((row) => ({ ...row, url, from: { userId: 'ada' } }));
      return call('/v2/recordings/add', { ...plan, recordings });
    },
    other: { documentId: 'other' },
  },
];

describe.each(LISTS)('$path', ({ path, query, id, added = id, add, other }) => {
  beforeEach(async () => {
    headers = await createTenant(server);
    const organizations = [acme, { organizationId: 'elsewhere' }];
    await call('/v2/organizations/add', { organizations });
    if ('documentId' in query) {
      const documents = [{ documentId: 'other' }, { documentId: 'plan' }];
      await call('/v2/organizations/documents/add', { ...acme, documents });
    }
    await add(IDS.map((one) => ({ [added]: one })));
  });

  async function page(more: object) {
    const { result } = (await server.call(path, { ...query, ...more }, headers)).body;
    const ids: string[] = result.data.map((row: Record<string, string>) => row[id]);
    return { ids, pageToken: result.nextPageToken ?? result.pageToken };
  }

  it.each([1, 3, 7, 8, 1000])('returns each row once in pages of %i', async (pageSize) => {
    const seen: string[] = [];
    let pageToken: string | undefined;
    do {
      const next = await page({ pageSize, pageToken });
      expect(next.ids.length).toBeLessThanOrEqual(pageSize);
      seen.push(...next.ids);
      pageToken = next.pageToken;
      const [late, early] = [`late-${seen.length}`, `a-${seen.length}`];
      if (pageToken) await add([{ [added]: late }, { [added]: early }]);
    } while (pageToken);
    expect(new Set(seen).size).toBe(seen.length);
    expect(seen.filter((one) => one.startsWith('id-'))).toEqual(IDS);
  });

  it('keeps every id exactly as it was given, also unusual ones', async () => {
    await add(UNUSUAL_IDS.map((one) => ({ [added]: one })));
    const seen: string[] = [];
    let pageToken: string | undefined;
    do {
      const next = await page({ pageSize: 4, pageToken });
      seen.push(...next.ids);
      pageToken = next.pageToken;
    } while (pageToken);
    expect(seen).toEqual(expect.arrayContaining(UNUSUAL_IDS));
  });

  // Of recordings, the last entry counts as a whole.
  const joins = id !== 'recordingId';
  it.runIf(joins)("keeps the caller's own fields, and joins repeated entries", async () => {
    const own = { constructor: 'c', toString: { is: 't' }, 'ü/: 👩‍🚀': [1.5, null, { '': [] }] };
    const row = { [added]: 'own' };
    const outcomes = await add([
      { ...row, ...own, color: 'red' },
      { ...row, color: 'blue' },
    ]);
    expect(Object.keys(outcomes as object)).toEqual(['own']);
    const { result } = (await server.call(path, query, headers)).body;
    const found = result.data.find((one: Record<string, string>) => one[id] === 'own');
    expect(found).toMatchObject({ ...own, color: 'blue' });
  });

  it('takes a page token with another size, and refuses it with another query', async () => {
    const { ids, pageToken } = await page({ pageSize: 4 });
    const next = await page({ pageSize: 2, pageToken });
    expect((await page({ pageSize: 6 })).ids).toEqual([...ids, ...next.ids]);
    const answer = await server.call(path, { ...query, ...other, pageToken }, headers);
    expect(answer.body).toEqual(invalid('pageToken'));
  });
});
