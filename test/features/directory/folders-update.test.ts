import { describe, expect, it } from 'vitest';
import { directoryOf } from '../../support/directory.ts';
import { testServer } from '../../support/server.ts';

const server = testServer({ ROLES: 'api' });
const directory = directoryOf(server);

const addFolders = (organizationId: string, folders: object[]) =>
  directory.call('folders/add', { organizationId, createOrganization: true, folders });

/** `a/b/c`: a at the root, b in a, c in b. */
const addPath = (organizationId: string, path: string) => {
  const ids = path.split('/');
  const folders = ids.map((folderId, index) => ({ folderId, parentFolderId: ids[index - 1] }));
  return addFolders(organizationId, folders);
};

const getFolder = async (organizationId: string, folderId: string) =>
  (await directory.call('folders/get', { organizationId, folderId, maxDepth: 0 })).data[0];

const ok = (id: string) => ({ success: true, id, message: 'Folder updated.' });
const no = (id: string, message: string) => ({ success: false, id, message });

describe('folders/update', () => {
  it('renames, merges own fields, changes the type, and keeps what is not given', async () => {
    await addFolders('edit', [
      { folderId: 'p', accessType: 'restricted' },
      { folderId: 'f', folderName: 'Old', parentFolderId: 'p', color: 'red', size: 1 },
    ]);
    const data = await directory.updateFolders('edit', [
      { folderId: 'f', folderName: 'New', color: 'blue' },
      { folderId: 'nobody', folderName: 'x' },
    ]);
    expect(data).toEqual({ f: ok('f'), nobody: no('nobody', 'Folder does not exist.') });
    const now = {
      folderId: 'f',
      folderName: 'New',
      parentFolderId: 'p',
      accessType: 'restricted',
      ancestors: ['p'],
      color: 'blue',
      size: 1,
    };
    expect(await getFolder('edit', 'f')).toEqual(now);
    await directory.updateFolders('edit', [{ folderId: 'f', accessType: 'public' }]);
    expect(await getFolder('edit', 'f')).toEqual({ ...now, accessType: 'public' });

    const events = await directory.eventsOf('edit');
    const updates = events.filter(({ type }) => type === 'folder.update');
    expect(updates.map(({ data }) => data)).toEqual([
      { ...now, previous: { ...now, folderName: 'Old', color: 'red' } },
      { ...now, accessType: 'public', previous: now },
    ]);
    expect(updates[0]?.channels).toEqual(['organization:edit', 'folder:f']);
  });

  it('publishes nothing when nothing changes', async () => {
    await addPath('same', 'a/b');
    const before = await directory.eventsOf('same');
    expect(
      await directory.updateFolders('same', [
        { folderId: 'b', parentFolderId: 'a' },
        { folderId: 'a', parentFolderId: null },
      ]),
    ).toEqual({ a: ok('a'), b: ok('b') });
    expect(await directory.eventsOf('same')).toEqual(before);
  });

  it('moves a folder with its subtree, to another parent and to the root', async () => {
    await addPath('move', 'a/b/c');
    await addFolders('move', [{ folderId: 'x', accessType: 'restricted' }]);
    const documents = [{ documentId: 'd' }];
    await directory.call('documents/add', { organizationId: 'move', folderId: 'c', documents });
    const accessType = async () => {
      const { data } = await directory.call('documents/get', { organizationId: 'move' });
      return data[0].accessType;
    };
    expect(await accessType()).toBe('public');
    await directory.updateFolders('move', [{ folderId: 'b', parentFolderId: 'x' }]);
    expect((await getFolder('move', 'c')).ancestors).toEqual(['x', 'b']);
    expect(await accessType()).toBe('restricted');
    await directory.updateFolders('move', [{ folderId: 'b', parentFolderId: null }]);
    expect((await getFolder('move', 'c')).ancestors).toEqual(['b']);
    expect(await accessType()).toBe('public');
  });

  it('refuses an unknown parent, and one below the folder itself, for that folder only', async () => {
    await addPath('refuse', 'a/b/c');
    await addFolders('refuse', [{ folderId: 'd' }]);
    const below = 'A folder cannot stand below itself.';
    expect(
      await directory.updateFolders('refuse', [
        { folderId: 'a', parentFolderId: 'c', folderName: 'not this either' },
        { folderId: 'b', parentFolderId: 'b' },
        { folderId: 'c', parentFolderId: 'nobody' },
        { folderId: 'd', parentFolderId: 'c' },
      ]),
    ).toEqual({
      a: no('a', below),
      b: no('b', below),
      c: no('c', 'Parent folder does not exist.'),
      d: ok('d'),
    });
    expect((await getFolder('refuse', 'd')).ancestors).toEqual(['a', 'b', 'c']);
    expect((await getFolder('refuse', 'a')).folderName).toBe('a');
  });

  it('applies the moves of a batch in order, each to the tree that the previous one left', async () => {
    await addPath('order', 'a/b');
    // b leaves a first, so that a may then move below b.
    expect(
      await directory.updateFolders('order', [
        { folderId: 'b', parentFolderId: null },
        { folderId: 'a', parentFolderId: 'b' },
      ]),
    ).toEqual({ a: ok('a'), b: ok('b') });
    expect((await getFolder('order', 'a')).ancestors).toEqual(['b']);
    const events = await directory.eventsOf('order');
    expect(events.at(-1)?.data).toMatchObject({
      folderId: 'a',
      ancestors: ['b'],
      previous: { folderId: 'a', ancestors: [] },
    });
    // In the opposite order the first move would make a cycle.
    const outcomes = await directory.updateFolders('order', [
      { folderId: 'b', parentFolderId: 'a' },
      { folderId: 'a', parentFolderId: null },
    ]);
    expect(outcomes.b.success).toBe(false);
    expect(outcomes.a.success).toBe(true);
  });

  it('allows 100 levels, including the height of the moved subtree', async () => {
    const ids = Array.from({ length: 98 }, (_, index) => `l${index}`);
    await addPath('deep', ids.join('/'));
    await addPath('deep', 'x/y/z');
    const deep = 'Folders can be nested 100 deep at most.';
    const move = (parentFolderId: string) =>
      directory.updateFolders('deep', [{ folderId: 'x', parentFolderId }]);
    expect(await move('l97')).toEqual({ x: no('x', deep) });
    expect(await move('l96')).toEqual({ x: ok('x') });
    expect((await getFolder('deep', 'z')).ancestors).toHaveLength(99);
  });

  it('lets one of two concurrent moves fail that together would make a cycle', async () => {
    for (let round = 0; round < 10; round++) {
      const organizationId = `cycle-${round}`;
      await addFolders(organizationId, [{ folderId: 'a' }, { folderId: 'b' }, { folderId: 'c' }]);
      const cycle = ['a', 'b', 'c'];
      const outcomes = await Promise.all(
        cycle.map(async (folderId, index) => {
          const parentFolderId = cycle[(index + 1) % 3];
          const data = await directory.updateFolders(organizationId, [
            { folderId, parentFolderId },
          ]);
          return data[folderId].success;
        }),
      );
      expect(outcomes.filter(Boolean)).toHaveLength(2);
      const roots = await directory.call('folders/get', { organizationId });
      expect(roots.data).toHaveLength(1);
    }
  });

  it('lets a concurrent move or addition fail if both together would be too deep', async () => {
    const ids = Array.from({ length: 99 }, (_, index) => `l${index}`);
    for (let round = 0; round < 3; round++) {
      const organizationId = `depth-${round}`;
      await addPath(organizationId, ids.join('/'));
      await addFolders(organizationId, [{ folderId: 'top' }]);
      const [moved, added] = await Promise.all([
        directory.updateFolders(organizationId, [{ folderId: 'l0', parentFolderId: 'top' }]),
        addFolders(organizationId, [{ folderId: 'bottom', parentFolderId: 'l98' }]),
      ]);
      expect([moved.l0.success, added.data.bottom.success].sort()).toEqual([false, true]);
    }
  });
});
