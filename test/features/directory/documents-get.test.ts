import { describe, expect, it } from 'vitest';
import { dataOf, failureOf, fresh, invalid } from '../../support/answers.ts';
import { testServer } from '../../support/server.ts';

const server = testServer();

const get = (data: object) => server.call('/v2/organizations/documents/get', data);
const idsOf = (documents: Array<{ id: string }>) => documents.map(({ id }) => id);
const numbered = (count: number) =>
  Array.from({ length: count }, (_, index) => `d${String(index).padStart(3, '0')}`);

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

describe('organizations/documents/get', () => {
  it.each([{}, { documentIds: ['d'] }])('refuses an unknown folder, with %j', async (query) => {
    const organizationId = await addDocuments(fresh('org'), ['d']);
    const answer = await get({ organizationId, folderId: 'no', ...query });
    expect(failureOf(answer).reason).toBe('folder_not_found');
  });

  it('returns the named documents of the organization, a repeated one once', async () => {
    const organizationId = await addDocuments(fresh('org'), ['a', 'b', 'c']);
    await addDocuments(fresh('org'), ['theirs']);
    const documentIds = ['c', 'unknown', 'a', 'c', 'theirs'];
    expect(idsOf(dataOf(await get({ organizationId, documentIds })))).toEqual(['a', 'c']);
    expect(idsOf(dataOf(await get({ organizationId, documentIds: [] })))).toEqual(['a', 'b', 'c']);
  });

  it('accepts 30 ids and refuses 31', async () => {
    const ids = numbered(31);
    const organizationId = await addDocuments(fresh('org'), ids);
    const found = dataOf(await get({ organizationId, documentIds: ids.slice(0, 30) }));
    expect(found).toHaveLength(30);
    const tooMany = await get({ organizationId, documentIds: ids });
    expect(tooMany.body).toEqual(invalid('documentIds'));
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
});

describe('pages of documents', () => {
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
});
