import { beforeEach, describe, expect, it } from 'vitest';
import { failureOf, fresh, invalid, type Loose, pagesOf } from '../../support/answers.ts';
import { directoryOf, organize } from '../../support/directory.ts';
import { testServer } from '../../support/server.ts';

/** Tests what only organizations, folders and documents do; resources.test.ts has what they share. */

const server = testServer({ ROLES: 'api' });
const directory = directoryOf(server);
let organizationId: string;
beforeEach(async () => {
  organizationId = await organize(server, fresh('org'));
});

const ask = (operation: string, data: object) =>
  server.call(`/v2/organizations/${operation}`, { organizationId, ...data });
const call = (operation: string, data: object) =>
  server.ok(`/v2/organizations/${operation}`, { organizationId, ...data });

const addFolders = (...folders: object[]) => call('folders/add', { folders });
/** `a/b/c`: a at the root, b in a, c in b. */
const addPath = (...ids: string[]) =>
  addFolders(...ids.map((folderId, index) => ({ folderId, parentFolderId: ids[index - 1] })));
const moveFolders = (...folders: object[]) => directory.updateFolders(organizationId, folders);
const folderOf = async (folderId: string) =>
  (await call('folders/get', { folderId, maxDepth: 0 }))[0];
const hasFolder = async (folderId: string) =>
  (await ask('folders/get', { folderId })).status === 200;

const addDocuments = (documents: object[], folderId?: string) =>
  call('documents/add', { documents, folderId });
const documentsNow = (query: object = {}): Promise<Loose[]> => call('documents/get', query);
const idsOf = (documents: Loose[]) => documents.map(({ id }) => id);
const addUser = (place: object) =>
  server.ok('/v1/users/add', { organizationId, ...place, users: [{ userId: 'ada' }] });

const yes = (id: string, message: string) => ({ success: true, id, message });
const failed = (id: string, message: string) => ({ success: false, id, message });
const eventsNow = () => directory.eventsOf(organizationId);
const typesOf = async () => (await eventsNow()).map(({ type }) => type);
const changes = async () => (await eventsNow()).filter(({ type }) => !type.endsWith('.add'));
const deletions = async () =>
  (await eventsNow())
    .filter(({ type }) => type.endsWith('.delete'))
    .map(({ type, data }) => [type, data.id ?? data.folderId, data.accessType]);

describe('a document', () => {
  it('has the access type of its folder while it is in one, and its own elsewhere', async () => {
    await addFolders(
      { folderId: 'top', accessType: 'restricted' },
      { folderId: 'below', parentFolderId: 'top' },
    );
    await addDocuments([{ documentId: 'd', id: 'other', accessType: 'public' }], 'below');
    const type = async () => (await documentsNow())[0].accessType;
    // It is named by its id, which no field of the caller overrides.
    const document = { id: 'd', documentName: 'd', disabled: false, accessType: 'restricted' };
    expect(await documentsNow()).toEqual([document]);
    const own = { documentIds: ['d'], accessType: 'organizationPrivate' };
    const { d } = await call('documents/access/update', own);
    expect(d.message).toContain('the access type of the folder applies');
    expect(await type()).toBe('restricted');
    await call('documents/move', { documentIds: ['d'], folderId: null });
    expect(await type()).toBe('organizationPrivate');
  });

  it('is not added to an unknown folder, and then nothing is created', async () => {
    const data = { createOrganization: true, documents: [{ documentId: 'd' }] };
    const missing = { organizationId: fresh('org'), folderId: 'missing' };
    const refused = await ask('documents/add', { ...data, ...missing });
    expect(failureOf(refused).reason).toBe('folder_not_found');
    const { organizationId } = missing;
    expect(await call('get', { organizationIds: [organizationId] })).toEqual([]);
  });
});

describe('documents/get', () => {
  it('returns the named documents, and those of one folder without its subfolders', async () => {
    await addPath('top', 'below');
    await addDocuments([{ documentId: 'a' }, { documentId: 'b' }, { documentId: 'c' }], 'top');
    await addDocuments([{ documentId: 'd' }], 'below');
    await organize(server, fresh('org'), { documents: ['theirs'] });
    const named = async (query: object) => idsOf(await documentsNow(query));
    const documentIds = ['d', 'unknown', 'a', 'theirs'];
    expect(await named({ documentIds })).toEqual(['a', 'd']);
    expect(await named({ documentIds: [] })).toEqual(['a', 'b', 'c', 'd']);
    expect(await named({ folderId: 'top' })).toEqual(['a', 'b', 'c']);
    expect(await named({ folderId: 'below', documentIds })).toEqual(['d']);
  });

  it('returns 1,000 documents a page, also where more are asked for', async () => {
    const ids = Array.from({ length: 1000 }, (_, n) => `d${String(n).padStart(3, '0')}`);
    await addDocuments(ids.map((documentId) => ({ documentId })));
    await addDocuments([{ documentId: 'last' }]);
    for (const query of [{}, { pageSize: 5000 }]) {
      const { result } = (await ask('documents/get', query)).body;
      expect(result.data).toHaveLength(1000);
      const next = await ask('documents/get', { ...query, pageToken: result.pageToken });
      expect(idsOf(next.body.result.data)).toEqual(['last']);
      expect(next.body.result).not.toHaveProperty('pageToken');
    }
  });
});

describe('documents/access/update', () => {
  it('applies the type of each entry, else the common one, and reports unknown documents', async () => {
    await addDocuments([{ documentId: 'a' }, { documentId: 'b' }]);
    const entries = [{ documentId: 'a', accessType: 'organizationPrivate' }, { documentId: 'b' }];
    const update = (named: object) =>
      call('documents/access/update', { accessType: 'restricted', ...named });
    const b = yes('b', 'Document updated.');
    expect(await update({ documents: entries })).toMatchObject({ b });
    const nobody = failed('nobody', 'Document does not exist.');
    expect(await update({ documentIds: ['b', 'nobody'] })).toEqual({ b, nobody });
    const types = (await documentsNow()).map(({ accessType }) => accessType);
    expect(types).toEqual(['organizationPrivate', 'restricted']);
    expect(await changes()).toHaveLength(2);
  });

  it('requires a type, and either documentIds or documents', async () => {
    const update = async (named: object) =>
      (await ask('documents/access/update', { accessType: 'public', ...named })).body;
    const [documentIds, documents] = [['a'], [{ documentId: 'a' }]];
    expect(await update({ accessType: undefined, documentIds })).toEqual(invalid('accessType'));
    expect(await update({})).toEqual(invalid('documentIds'));
    expect(await update({ documentIds, documents })).toEqual(invalid('documentIds'));
  });
});

it('documents/move moves into a folder, between folders and to the root, and publishes both places', async () => {
  const move = (documentIds: string[], folderId: string | null) =>
    call('documents/move', { documentIds, folderId });
  await addFolders({ folderId: 'f', accessType: 'restricted' }, { folderId: 'g' });
  await addDocuments([{ documentId: 'd' }, { documentId: 'e' }]);
  expect(await move(['d', 'nobody'], 'f')).toEqual({
    d: yes('d', 'Document moved.'),
    nobody: failed('nobody', 'Document does not exist.'),
  });
  expect(await move(['d'], 'f')).toEqual({ d: yes('d', 'Document is already there.') });
  await move(['d'], 'g');
  await move(['d'], null);
  const document = { id: 'd', documentName: 'd', disabled: false };
  const inF = { ...document, accessType: 'restricted', folderId: 'f' };
  const inG = { ...document, accessType: 'public', folderId: 'g' };
  const atRoot = { ...document, accessType: 'public', folderId: null };
  const channels = [`organization:${organizationId}`, 'document:d', 'folder:g', 'folder:f'];
  const type = 'document.move';
  expect(await changes()).toMatchObject([
    { type, data: { ...inF, previous: atRoot } },
    { type, channels, data: { ...inG, previous: inF } },
    { type, data: { ...atRoot, previous: inG } },
  ]);
});

describe('folders/add', () => {
  /** A chain of folders from `first` to `last`, each below the previous one. */
  const chain = (first: number, last: number) =>
    Array.from({ length: last - first + 1 }, (_, index) => ({
      folderId: `f${first + index}`,
      ...(first + index > 1 && { parentFolderId: `f${first + index - 1}` }),
    }));
  const added = async (folders: object[]) => {
    const outcomes = Object.entries(await addFolders(...folders));
    return outcomes.filter(([, { success }]: Loose) => success).map(([id]) => id);
  };

  it('accepts an existing parent, and one in the same batch, in any order, which is published first', async () => {
    const folders = chain(2, 5);
    for (const order of [folders, folders.toReversed(), [...folders.slice(2), ...chain(1, 3)]]) {
      organizationId = await organize(server, fresh('org'), { folders: ['f1'] });
      expect((await added(order)).sort()).toEqual(['f2', 'f3', 'f4', 'f5']);
      const published = (await eventsNow()).slice(1);
      expect(published.map(({ data }) => data.folderId)).toEqual(['f1', 'f2', 'f3', 'f4', 'f5']);
    }
  });

  it('adds the rest when a parent is missing, and reports all folders below it', async () => {
    await organize(server, fresh('org'), { folders: ['theirs'] });
    const folders = [
      { folderId: 'grandchild', parentFolderId: 'orphan' },
      { folderId: 'orphan', parentFolderId: 'theirs' },
      { folderId: 'fine' },
    ];
    const message = 'Parent folder does not exist.';
    expect(await addFolders(...folders)).toEqual({
      grandchild: failed('grandchild', message),
      orphan: failed('orphan', message),
      fine: yes('fine', 'Folder added.'),
    });
    expect(await hasFolder('orphan')).toBe(false);
    expect(await typesOf()).toEqual(['organization.add', 'folder.add']);
  });

  it.each([
    ['itself', { a: 'a' }],
    ['its grandchild', { a: 'b', b: 'c', c: 'a' }],
    ['a cycle', { a: 'b', b: 'a', below: 'a' }],
  ])('does not add a folder below %s', async (_, parents) => {
    const pairs = Object.entries(parents);
    const folders = pairs.map(([folderId, parentFolderId]) => ({ folderId, parentFolderId }));
    for (const order of [folders, folders.toReversed()]) {
      const fine = { folderId: `fine-${order[0]?.folderId}` };
      const outcomes = await addFolders(...order, fine);
      for (const { folderId } of folders) {
        const message = 'A folder cannot be below itself.';
        expect(outcomes[folderId]).toEqual(failed(folderId, message));
        expect(await hasFolder(folderId)).toBe(false);
      }
      expect(await hasFolder(fine.folderId)).toBe(true);
    }
  });

  it('allows at most 100 levels within a batch and across batches, which all inherit access', async () => {
    const outcomes = await addFolders(...chain(1, 102).toReversed());
    expect(outcomes.f100.success).toBe(true);
    expect(outcomes.f101.message).toBe('Folders can be nested at most 100 levels deep.');
    expect([await hasFolder('f100'), await hasFolder('f101')]).toEqual([true, false]);

    organizationId = await organize(server, fresh('org'));
    await addFolders({ folderId: 'f1', accessType: 'restricted' });
    expect(await added(chain(2, 60))).toHaveLength(59);
    expect(await added(chain(61, 99))).toHaveLength(39);
    expect(await added(chain(100, 101))).toEqual(['f100']);
    expect(await added(chain(101, 101))).toEqual([]);
    await addUser({ folderId: 'f1' });
    const query = { organizationId, userIds: ['ada'], folderIds: ['f100'] };
    const { ada } = await server.ok('/v2/auth/permissions/get', query);
    expect(ada.folders.f100).toEqual({ accessRole: 'editor', accessType: 'restricted' });
  });
});

describe('folders/get', () => {
  it('returns a folder with its ancestors and descendants, to the requested depth', async () => {
    await addFolders(
      { folderId: 'legal', folderName: 'Legal', accessType: 'restricted', color: 'red' },
      { folderId: 'contracts', parentFolderId: 'legal' },
      { folderId: 'drafts', parentFolderId: 'contracts', accessType: 'organizationPrivate' },
      { folderId: 'archive', parentFolderId: 'contracts' },
      { folderId: 'sales' },
    );
    const folder = (folderId: string, accessType: string, ...ancestors: string[]) => ({
      ...{ folderId, folderName: folderId, accessType, ancestors },
      parentFolderId: ancestors.at(-1) ?? null,
    });
    const contracts = folder('contracts', 'restricted', 'legal');
    const drafts = folder('drafts', 'organizationPrivate', 'legal', 'contracts');
    const archive = folder('archive', 'restricted', 'legal', 'contracts');
    const legal = { ...folder('legal', 'restricted'), folderName: 'Legal', color: 'red' };
    expect(await call('folders/get', {})).toEqual([
      { ...legal, subfolders: [contracts] },
      { ...folder('sales', 'public'), subfolders: [] },
    ]);
    const leaves = [archive, drafts].map((one) => ({ ...one, subfolders: [] }));
    const whole = await call('folders/get', { folderId: 'contracts', maxDepth: 5 });
    expect(whole).toEqual([{ ...contracts, subfolders: leaves }]);
    expect(await folderOf('drafts')).toEqual(drafts);
  });

  it('reads a page with the folders below in one statement, so that none is missing or shown twice while it moves', async () => {
    await addPath('a', 'b', 'c');
    await addPath('d', 'e');
    const statements = await server.statementsOf(() => call('folders/get', { maxDepth: 2 }));
    expect(statements.filter((text) => /\bfolders\b/.test(text))).toHaveLength(1);
  });

  it('returns the folders of a page with those below, and no others', async () => {
    for (const top of ['a', 'b', 'c']) await addPath(top, `${top} below`);
    const shown: Array<[id: string, below: string[]]> = [];
    const read = async (pageToken?: string) =>
      (await ask('folders/get', { pageSize: 2, pageToken })).body.result;
    for await (const { data } of pagesOf(read)) {
      for (const { folderId, subfolders } of data) {
        shown.push([folderId, subfolders.map((one: Loose) => one.folderId)]);
      }
    }
    expect(shown).toEqual(['a', 'b', 'c'].map((top) => [top, [`${top} below`]]));
  });

  it('bounds the size of its answer', async () => {
    await server.app.services.db.pool.query(
      `INSERT INTO folders (tenant_id, organization_id, folder_id, parent_folder_id)
       SELECT $1, $2, 'f' || n, CASE WHEN n = 0 THEN NULL ELSE 'f0' END
       FROM generate_series(0, 10001) AS n`,
      [server.quickstart.apiKey, organizationId],
    );
    const { status, body } = await ask('folders/get', {});
    expect([status, body.error.message]).toEqual([400, expect.stringContaining('10000')]);
    await addFolders({ folderId: 'before' });
    // The next page would be too large, and this one is not.
    expect(await call('folders/get', { pageSize: 1 })).toMatchObject([{ folderId: 'before' }]);
  });
});

// The test of access in ../permissions moves folders at random.
describe('folders/update', () => {
  it('says why a folder cannot be moved, and changes nothing else of it', async () => {
    await addPath('a', 'b');
    const outcomes = await moveFolders(
      { folderId: 'a', parentFolderId: 'b', folderName: 'not this either' },
      { folderId: 'b', parentFolderId: 'nobody' },
    );
    expect(outcomes).toEqual({
      a: failed('a', 'A folder cannot be below itself.'),
      b: failed('b', 'Parent folder does not exist.'),
    });
    expect((await folderOf('a')).folderName).toBe('a');
  });

  it('applies a batch in order, and publishes each move from the tree that the previous one left', async () => {
    await addPath('a', 'b');
    // b leaves a first, so that a may then move below b.
    await moveFolders(
      { folderId: 'b', parentFolderId: null },
      { folderId: 'a', parentFolderId: 'b', accessType: 'restricted' },
    );
    const a = { folderId: 'a', ancestors: ['b'], accessType: 'restricted' };
    expect(await folderOf('a')).toMatchObject(a);
    expect((await changes()).at(-1)).toMatchObject({
      channels: [`organization:${organizationId}`, 'folder:a'],
      data: { ...a, previous: { folderId: 'a', ancestors: [], accessType: 'public' } },
    });
    const before = await changes();
    await moveFolders(
      { folderId: 'a', parentFolderId: 'b' },
      { folderId: 'b', parentFolderId: null },
    );
    expect(await changes(), 'nothing was changed').toEqual(before);
  });

  it('refuses a move that brings what is below the folder to below level 100', async () => {
    await addPath('b', 'a', 'c');
    await addPath(...Array.from({ length: 98 }, (_, index) => `l${index}`));
    const tooDeep = await moveFolders({ folderId: 'b', parentFolderId: 'l97' });
    expect(tooDeep).toEqual({ b: failed('b', 'Folders can be nested at most 100 levels deep.') });
    expect((await moveFolders({ folderId: 'b', parentFolderId: 'l96' })).b.success).toBe(true);
    expect((await folderOf('c')).ancestors).toHaveLength(99);
  });

  it('lets one of three concurrent moves fail if together they would make a cycle', async () => {
    for (let round = 0; round < 5; round++) {
      organizationId = await organize(server, fresh('org'), { folders: ['a', 'b', 'c'] });
      const cycle = ['a', 'b', 'c'];
      const outcomes = await Promise.all(
        cycle.map(async (folderId, index) => {
          const parentFolderId = cycle[(index + 1) % 3];
          return (await moveFolders({ folderId, parentFolderId }))[folderId].success;
        }),
      );
      expect(outcomes.filter(Boolean)).toHaveLength(2);
      expect(await call('folders/get', {})).toHaveLength(1);
    }
  });

  it('lets a concurrent move or addition fail if both together would be too deep', async () => {
    for (let round = 0; round < 3; round++) {
      organizationId = await organize(server, fresh('org'), { folders: ['top'] });
      await addPath(...Array.from({ length: 99 }, (_, index) => `l${index}`));
      const [moved, added] = await Promise.all([
        moveFolders({ folderId: 'l0', parentFolderId: 'top' }),
        addFolders({ folderId: 'bottom', parentFolderId: 'l98' }),
      ]);
      expect([moved.l0.success, added.bottom.success].sort()).toEqual([false, true]);
    }
  });
});

describe('folders/delete', () => {
  it('deletes the subtree and its grants only, and publishes each deletion', async () => {
    await addFolders(
      { folderId: 'a', accessType: 'restricted' },
      { folderId: 'b', parentFolderId: 'a' },
      { folderId: 'c', parentFolderId: 'b', accessType: 'public' },
      { folderId: 'x' },
    );
    for (const folderId of ['a', 'b', 'c', 'x', undefined]) {
      await addDocuments([{ documentId: `in-${folderId}` }], folderId);
    }
    for (const place of [{ folderId: 'b' }, { documentId: 'in-c' }, { folderId: 'x' }]) {
      await addUser(place);
    }
    // A folder and one of its subfolders are deleted as one.
    expect(await call('folders/delete', { folderIds: ['c', 'b', 'nobody', 'c'] })).toEqual({
      b: yes('b', 'Folder deleted.'),
      c: yes('c', 'Folder deleted.'),
      nobody: failed('nobody', 'Folder does not exist.'),
    });
    expect(await deletions()).toEqual([
      ['document.delete', 'in-b', 'restricted'],
      ['document.delete', 'in-c', 'public'],
      ['folder.delete', 'b', 'restricted'],
      ['folder.delete', 'c', 'public'],
    ]);
    expect(idsOf(await documentsNow())).toEqual(['in-a', 'in-undefined', 'in-x']);
    expect(await directory.count('folders', organizationId)).toBe(2);
    // Of the three grants, the one on x remains.
    expect(await directory.count('grants', organizationId)).toBe(1);
  });

  it('accepts folderId or folderIds, not both', async () => {
    await addFolders({ folderId: 'a' });
    for (const input of [{}, { folderId: 'a', folderIds: ['a'] }]) {
      expect((await ask('folders/delete', input)).status).toBe(400);
    }
    expect((await call('folders/delete', { folderId: 'a' })).a.success).toBe(true);
  });
});

it('organizations/delete publishes the deletion of everything in it, and a new one of the same id starts empty', async () => {
  const folders = [
    { folderId: 'f', accessType: 'restricted' },
    { folderId: 'g', parentFolderId: 'f' },
  ];
  const documents = [{ documentId: 'in', folderId: 'g' }, 'out'];
  await organize(server, organizationId, { folders, documents });
  for (const place of [{}, { folderId: 'f' }, { documentId: 'in' }]) await addUser(place);
  await call('delete', { organizationIds: [organizationId] });
  expect(await deletions()).toEqual([
    ['document.delete', 'in', 'restricted'],
    ['document.delete', 'out', 'public'],
    ['folder.delete', 'f', 'restricted'],
    ['folder.delete', 'g', 'restricted'],
    ['organization.delete', undefined, undefined],
  ]);
  await organize(server, organizationId, { folders });
  const query = { organizationId, userIds: ['ada'], folderIds: ['f'] };
  const { ada } = await server.ok('/v2/auth/permissions/get', query);
  expect(ada.folders.f.errorCode).toBe('permission_denied');
  expect(ada.organization[organizationId].errorCode).toBe('permission_denied');
});

it.each([
  ['organization', () => call('delete', { organizationIds: [organizationId] })],
  ['folder', () => call('folders/delete', { folderId: 'f' })],
])(
  'a %s that is deleted takes with it, and publishes as deleted, each document that is added meanwhile',
  async (place, remove) => {
    for (let round = 0; round < 4; round++) {
      organizationId = await organize(server, fresh('org'), { folders: ['f'] });
      const folderId = place === 'folder' ? 'f' : undefined;
      const [, ...adding] = await Promise.all([
        remove(),
        ...Array.from({ length: 5 }, (_, index) =>
          ask('documents/add', { folderId, documents: [{ documentId: `d-${index}` }] }),
        ),
      ]);
      for (const answer of adding) {
        if (answer.status !== 200) expect(failureOf(answer).reason).toBe(`${place}_not_found`);
      }
      expect(await directory.count('documents', organizationId)).toBe(0);
      const types = await typesOf();
      const count = (eventType: string) => types.filter((type) => type === eventType).length;
      expect(count('document.delete')).toBe(count('document.add'));
    }
  },
);
