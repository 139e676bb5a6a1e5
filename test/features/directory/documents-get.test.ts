import { beforeAll, describe, expect, it } from 'vitest';
import { dataOf, failureOf, fresh, invalid, UNUSUAL_IDS } from '../../support/answers.ts';
import { startTestServer, type TestServer } from '../../support/server.ts';

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer();
});

const get = (data: object) => server.call('/v2/organizations/documents/get', data);
const idsOf = (documents: Array<{ id: string }>) => documents.map(({ id }) => id);
const numbered = (count: number, prefix = 'd') =>
  Array.from({ length: count }, (_, index) => `${prefix}${String(index).padStart(3, '0')}`);

async function addDocuments(organizationId: string, ids: string[], folderId?: string) {
  const documents = ids.map((documentId) => ({ documentId }));
  const input = { organizationId, folderId, createOrganization: true, documents };
  dataOf(await server.call('/v2/organizations/documents/add', input));
  return organizationId;
}

async function addFolders(organizationId: string, folders: object[]) {
  const input = { organizationId, createOrganization: true, folders };
  dataOf(await server.call('/v2/organizations/folders/add', input));
}

/** All ids from the first page to the last. `between` runs after each page. */
async function pageThrough(query: object, afterPage: (last: string) => unknown = () => undefined) {
  const seen: string[] = [];
  let pageToken: string | undefined;
  do {
    const { result } = (await get({ ...query, pageToken })).body;
    seen.push(...idsOf(result.data));
    pageToken = result.pageToken;
    await afterPage(seen.at(-1) ?? '');
  } while (pageToken !== undefined);
  return seen;
}

describe('organizations/documents/get', () => {
  it('returns documents as in the specification, and no page token at the end', async () => {
    const organizationId = await addDocuments(fresh('org'), ['plan']);
    expect((await get({ organizationId })).body).toEqual({
      result: {
        status: 'success',
        message: 'Document(s) retrieved successfully.',
        data: [{ id: 'plan', documentName: 'plan', disabled: false, accessType: 'public' }],
      },
    });
  });

  it('returns an empty page if there are no documents', async () => {
    const organizationId = fresh('org');
    await addFolders(organizationId, [{ folderId: 'empty' }]);
    expect(dataOf(await get({ organizationId }))).toEqual([]);
    expect(dataOf(await get({ organizationId, folderId: 'empty' }))).toEqual([]);
  });

  it.each([
    ['organization', 'organization_not_found', { organizationId: 'missing' }],
    ['folder', 'folder_not_found', { folderId: 'missing' }],
    ['folder beside documents', 'folder_not_found', { folderId: 'no', documentIds: ['d'] }],
  ])('refuses an unknown %s: %s', async (_, reason, query) => {
    const organizationId = await addDocuments(fresh('org'), ['d']);
    expect(failureOf(await get({ organizationId, ...query }))).toEqual({
      http: 400,
      status: 'INVALID_ARGUMENT',
      reason,
    });
  });

  it('returns no documents of another organization', async () => {
    const organizationId = await addDocuments(fresh('org'), ['ours']);
    await addDocuments(fresh('org'), ['theirs']);
    const documentIds = ['ours', 'theirs'];
    expect(idsOf(dataOf(await get({ organizationId, documentIds })))).toEqual(['ours']);
  });

  it('leaves out unknown ids, and returns a repeated one once', async () => {
    const organizationId = await addDocuments(fresh('org'), ['a', 'b', 'c']);
    const documentIds = ['c', 'unknown', 'a', 'c'];
    expect(idsOf(dataOf(await get({ organizationId, documentIds })))).toEqual(['a', 'c']);
    expect(dataOf(await get({ organizationId, documentIds: ['unknown'] }))).toEqual([]);
  });

  it('accepts 30 ids and refuses 31', async () => {
    const ids = numbered(31);
    const organizationId = await addDocuments(fresh('org'), ids);
    const found = dataOf(await get({ organizationId, documentIds: ids.slice(0, 30) }));
    expect(found).toHaveLength(30);
    const tooMany = await get({ organizationId, documentIds: ids });
    expect(tooMany.body).toEqual(invalid('documentIds'));
  });

  it('ignores an empty list of ids', async () => {
    const organizationId = await addDocuments(fresh('org'), ['a']);
    expect(idsOf(dataOf(await get({ organizationId, documentIds: [] })))).toEqual(['a']);
  });

  it('returns the documents of one folder, not of its subfolders', async () => {
    const organizationId = fresh('org');
    await addFolders(organizationId, [
      { folderId: 'top' },
      { folderId: 'below', parentFolderId: 'top' },
    ]);
    await addDocuments(organizationId, ['in top'], 'top');
    await addDocuments(organizationId, ['in below'], 'below');
    await addDocuments(organizationId, ['outside']);
    expect(idsOf(dataOf(await get({ organizationId, folderId: 'top' })))).toEqual(['in top']);
    const documentIds = ['in top', 'in below'];
    const both = await get({ organizationId, folderId: 'below', documentIds });
    expect(idsOf(dataOf(both))).toEqual(['in below']);
  });

  it('returns the effective access type: that of the nearest folder with one', async () => {
    const organizationId = fresh('org');
    await addFolders(organizationId, [
      { folderId: 'plain' },
      { folderId: 'private', accessType: 'organizationPrivate' },
      { folderId: 'inherits', parentFolderId: 'private' },
      { folderId: 'own', parentFolderId: 'inherits', accessType: 'restricted' },
    ]);
    for (const id of ['plain', 'private', 'inherits', 'own']) {
      await addDocuments(organizationId, [id], id);
    }
    const documents: Array<{ id: string; accessType: string }> = dataOf(
      await get({ organizationId }),
    );
    expect(Object.fromEntries(documents.map(({ id, accessType }) => [id, accessType]))).toEqual({
      plain: 'public',
      private: 'organizationPrivate',
      inherits: 'organizationPrivate',
      own: 'restricted',
    });
  });

  it('finds every id exactly as it was given, also unusual ones', async () => {
    const organizationId = await addDocuments(fresh('org/ :é'), UNUSUAL_IDS);
    expect(idsOf(dataOf(await get({ organizationId }))).sort()).toEqual([...UNUSUAL_IDS].sort());
    for (const id of UNUSUAL_IDS) {
      expect(idsOf(dataOf(await get({ organizationId, documentIds: [id] })))).toEqual([id]);
    }
    const paged = await pageThrough({ organizationId, pageSize: 1 });
    expect(paged.sort()).toEqual([...UNUSUAL_IDS].sort());
  });
});

describe('pages of documents', () => {
  it.each([1, 2, 7, 24, 25, 26, 1000])('of %i return each document once', async (pageSize) => {
    const ids = numbered(25);
    const organizationId = await addDocuments(fresh('org'), ids);
    expect(await pageThrough({ organizationId, pageSize })).toEqual(ids);
  });

  it('hold 1,000 documents by default and at most', async () => {
    const organizationId = await addDocuments(fresh('org'), numbered(1000));
    await addDocuments(organizationId, ['last']);
    for (const query of [{}, { pageSize: 1000 }, { pageSize: 5000 }]) {
      const { result } = (await get({ organizationId, ...query })).body;
      expect(result.data).toHaveLength(1000);
      const next = await get({ organizationId, ...query, pageToken: result.pageToken });
      expect(idsOf(dataOf(next))).toEqual(['last']);
      expect(next.body.result).not.toHaveProperty('pageToken');
    }
  });

  it('skip and repeat nothing while documents are added', async () => {
    const ids = numbered(20);
    const organizationId = await addDocuments(fresh('org'), ids);
    const seen = await pageThrough({ organizationId, pageSize: 3 }, (last) =>
      addDocuments(organizationId, [`a before ${last}`, `${last} after`, 'zz the very last']),
    );
    expect(new Set(seen).size).toBe(seen.length);
    expect(seen.filter((id) => ids.includes(id))).toEqual(ids);
    expect(seen.at(-1)).toBe('zz the very last');
  });

  it('may differ in size', async () => {
    const organizationId = await addDocuments(fresh('org'), numbered(10));
    const { pageToken } = (await get({ organizationId, pageSize: 2 })).body.result;
    const next = await get({ organizationId, pageSize: 5, pageToken });
    expect(idsOf(dataOf(next))).toEqual(numbered(10).slice(2, 7));
  });

  it('refuse a page token that is forged, truncated or made for other filters', async () => {
    const organizationId = fresh('org');
    await addFolders(organizationId, [{ folderId: 'f' }]);
    await addDocuments(organizationId, numbered(5), 'f');
    const other = await addDocuments(fresh('org'), numbered(5));
    const { pageToken } = (await get({ organizationId, pageSize: 2 })).body.result;
    for (const query of [
      { pageToken: '' },
      { pageToken: 'forged' },
      { pageToken: pageToken.slice(0, -1) },
      { pageToken: `${pageToken}=` },
      { pageToken: `${pageToken}.x` },
      { pageToken: pageToken.replace(/^./, (first: string) => (first === 'A' ? 'B' : 'A')) },
      { pageToken, folderId: 'f' },
      { pageToken, documentIds: numbered(5) },
      { pageToken, organizationId: other },
    ]) {
      expect((await get({ organizationId, ...query })).body).toEqual(invalid('pageToken'));
    }
  });
});
