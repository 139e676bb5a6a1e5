import { describe, expect, it } from 'vitest';
import { dataOf, fresh, invalid } from '../../support/answers.ts';
import { eventsOf } from '../../support/events.ts';
import { testServer } from '../../support/server.ts';

const server = testServer();

const add = (organizationId: string, folders: object[], createOrganization = true) =>
  server.call('/v2/organizations/folders/add', { organizationId, createOrganization, folders });

/** A chain of folders from `first` to `last`, each below the previous one. */
const chain = (first: number, last: number) =>
  Array.from({ length: last - first + 1 }, (_, index) => ({
    folderId: `f${first + index}`,
    ...(first + index > 1 && { parentFolderId: `f${first + index - 1}` }),
  }));

async function successes(organizationId: string, folders: object[]): Promise<string[]> {
  const outcomes = dataOf(await add(organizationId, folders));
  return Object.keys(outcomes).filter((id) => outcomes[id].success);
}

async function exists(organizationId: string, folderId: string): Promise<boolean> {
  const query = { organizationId, userIds: ['x'], folderIds: [folderId] };
  return (await server.call('/v2/auth/permissions/get', query)).status === 200;
}

const publishedFolders = async (organizationId: string) =>
  (await eventsOf(server, organizationId, ['folder.add'])).map(({ data }) => data.folderId);

describe('organizations/folders/add', () => {
  it('leaves an existing folder unchanged', async () => {
    const organizationId = fresh('org');
    await add(organizationId, [{ folderId: 'f', accessType: 'restricted' }]);
    const again = dataOf(await add(organizationId, [{ folderId: 'f', accessType: 'public' }]));
    expect(again.f).toEqual({ success: false, id: 'f', message: 'Folder already exists.' });
    const query = { organizationId, userIds: ['x'], folderIds: ['f'] };
    const permissions = dataOf(await server.call('/v2/auth/permissions/get', query));
    expect(permissions.x.folders.f.accessType).toBe('restricted');
  });

  it('limits the metadata of a repeated folder as a whole', async () => {
    const organizationId = fresh('org');
    const half = 'x'.repeat(9000);
    const folders = [
      { folderId: 'f', note: half },
      { folderId: 'f', other: half },
    ];
    expect((await add(organizationId, folders)).body).toEqual(invalid('folders'));
  });

  it('accepts names of 1,000 characters and metadata of 16 KB', async () => {
    const organizationId = fresh('org');
    const folder = { folderId: 'f', folderName: 'n'.repeat(1000), note: 'x'.repeat(16_373) };
    expect(await successes(organizationId, [folder])).toEqual(['f']);
    const longer = { ...folder, folderId: 'g', folderName: 'n'.repeat(1001) };
    expect((await add(organizationId, [longer])).body).toEqual(invalid('folders[0].folderName'));
    // Lengths count UTF-16 units, and an emoji is two of them.
    const emoji = { folderId: '😀'.repeat(128), folderName: '😀'.repeat(500) };
    expect(await successes(organizationId, [emoji])).toEqual([emoji.folderId]);
    const tooLong = { folderId: `${emoji.folderId}x`, folderName: `${emoji.folderName}x` };
    for (const [name, value] of Object.entries(tooLong)) {
      const refused = await add(organizationId, [{ ...folder, [name]: value }]);
      expect(refused.body).toEqual(invalid(`folders[0].${name}`));
    }
    const larger = { ...folder, folderId: 'g', note: `${folder.note}x` };
    expect((await add(organizationId, [larger])).body).toEqual(invalid('folders[0]'));
  });
});

describe('folders/add with parents', () => {
  it('accepts a parent in the same batch, in any order, and publishes it first', async () => {
    const folders = chain(1, 5);
    for (const order of [folders, folders.toReversed(), folders.toSorted(() => -1)]) {
      const organizationId = fresh('org');
      expect(await successes(organizationId, order)).toHaveLength(5);
      expect(await publishedFolders(organizationId)).toEqual(['f1', 'f2', 'f3', 'f4', 'f5']);
    }
  });

  it('accepts an existing parent, and one that is also in the batch', async () => {
    const organizationId = fresh('org');
    await add(organizationId, [{ folderId: 'parent' }]);
    const folders = [
      { folderId: 'child', parentFolderId: 'parent' },
      { folderId: 'grandchild', parentFolderId: 'child' },
      { folderId: 'parent' },
    ];
    expect(await successes(organizationId, folders)).toEqual(['child', 'grandchild']);
  });

  it('adds the rest when a parent is missing, and reports all folders below it', async () => {
    const organizationId = fresh('org');
    const folders = [
      { folderId: 'grandchild', parentFolderId: 'orphan' },
      { folderId: 'orphan', parentFolderId: 'missing' },
      { folderId: 'fine' },
    ];
    const message = 'Parent folder does not exist.';
    expect(dataOf(await add(organizationId, folders))).toEqual({
      grandchild: { success: false, id: 'grandchild', message },
      orphan: { success: false, id: 'orphan', message },
      fine: { success: true, id: 'fine', message: 'Folder added.' },
    });
    expect(await exists(organizationId, 'orphan')).toBe(false);
    expect(await publishedFolders(organizationId)).toEqual(['fine']);
  });

  it.each([
    ['itself', ['a a']],
    ['its child', ['a b', 'b a']],
    ['its grandchild', ['a b', 'b c', 'c a']],
    ['a cycle', ['a b', 'b a', 'below a']],
  ])('does not add a folder below %s', async (_, pairs) => {
    const folders = pairs.map((pair) => {
      const [folderId = '', parentFolderId] = pair.split(' ');
      return { folderId, parentFolderId };
    });
    for (const order of [folders, folders.toReversed()]) {
      const organizationId = fresh('org');
      const outcomes = dataOf(await add(organizationId, [...order, { folderId: 'fine' }]));
      for (const { folderId } of folders) {
        const message = 'A folder cannot stand below itself.';
        expect(outcomes[folderId]).toEqual({ success: false, id: folderId, message });
        expect(await exists(organizationId, folderId)).toBe(false);
      }
      expect(outcomes.fine.success).toBe(true);
    }
  });

  it('does not find a parent in another organization', async () => {
    await add(fresh('org'), [{ folderId: 'parent' }]);
    const child = { folderId: 'child', parentFolderId: 'parent' };
    expect(await successes(fresh('org'), [child])).toEqual([]);
  });

  it('allows at most 100 levels within a batch', async () => {
    const organizationId = fresh('org');
    const outcomes = dataOf(await add(organizationId, chain(1, 102).toReversed()));
    expect(outcomes.f100.success).toBe(true);
    expect(outcomes.f101).toMatchObject({
      success: false,
      message: 'Folders can be nested 100 deep at most.',
    });
    expect(outcomes.f102.success).toBe(false);
    expect(await exists(organizationId, 'f100')).toBe(true);
    expect(await exists(organizationId, 'f101')).toBe(false);
  });

  it('allows at most 100 levels across batches', async () => {
    const organizationId = fresh('org');
    expect(await successes(organizationId, chain(1, 60))).toHaveLength(60);
    expect(await successes(organizationId, chain(61, 99))).toHaveLength(39);
    expect(await successes(organizationId, chain(100, 101))).toEqual(['f100']);
    expect(await successes(organizationId, chain(101, 101))).toEqual([]);
  });

  it('inherits access through all 100 levels', async () => {
    const organizationId = fresh('org');
    await add(organizationId, [{ folderId: 'f1', accessType: 'restricted' }, ...chain(2, 100)]);
    const user = { organizationId, folderId: 'f1', users: [{ userId: 'ada' }] };
    dataOf(await server.call('/v1/users/add', user));
    const query = { organizationId, userIds: ['ada'], folderIds: ['f100'] };
    const { ada } = dataOf(await server.call('/v2/auth/permissions/get', query));
    expect(ada.folders.f100).toEqual({ accessRole: 'editor', accessType: 'restricted' });
  });
});

describe('folders/add with many folders', () => {
  it('accepts 1,000 folders', async () => {
    const folders = Array.from({ length: 1000 }, (_, number) => ({
      folderId: `f${number}`,
      ...(number % 50 !== 0 && { parentFolderId: `f${number - 1}` }),
    }));
    expect(await successes(fresh('org'), folders)).toHaveLength(1000);
  });
});
