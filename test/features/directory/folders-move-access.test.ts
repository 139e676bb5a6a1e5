import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { directoryOf } from '../../support/directory.ts';
import { testServer } from '../../support/server.ts';

const server = testServer();
const directory = directoryOf(server);

interface Folder {
  folderId: string;
  accessType?: string;
  /** The parents at creation and in the end: an earlier folder or the root. */
  madeIn: string | undefined;
  endsIn: string | undefined;
}

interface Scenario {
  folders: Folder[];
  documents: Array<{ documentId: string; folderId: string | undefined; accessType: string }>;
  grants: Array<{ userId: string; accessRole: string; place: object }>;
}

const USERS = ['ada', 'bob', 'cy'];
const TYPES = ['public', 'organizationPrivate', 'restricted'];

const type = fc.constantFrom(...TYPES);
const earlier = (index: number) =>
  fc
    .option(fc.nat({ max: Math.max(0, index - 1) }), { nil: undefined })
    .map((at) => (index === 0 || at === undefined ? undefined : `f${at}`));
const folderAt = (index: number): fc.Arbitrary<Folder> =>
  fc.record({
    folderId: fc.constant(`f${index}`),
    accessType: fc.option(type, { nil: undefined }),
    madeIn: earlier(index),
    endsIn: earlier(index),
  });

const scenarios: fc.Arbitrary<Scenario> = fc.integer({ min: 2, max: 7 }).chain((size) => {
  const folderIds = Array.from({ length: size }, (_, index) => `f${index}`);
  const documentAt = (index: number) =>
    fc.record({
      documentId: fc.constant(`d${index}`),
      folderId: fc.option(fc.constantFrom(...folderIds), { nil: undefined }),
      accessType: type,
    });
  const places = fc.oneof(
    fc.constant({}),
    fc.constantFrom(...folderIds).map((folderId) => ({ folderId })),
    fc.constantFrom('d0', 'd1', 'd2').map((documentId) => ({ documentId })),
  );
  return fc.record({
    folders: fc.tuple(...folderIds.map((_, index) => folderAt(index))),
    documents: fc.tuple(documentAt(0), documentAt(1), documentAt(2)),
    grants: fc.array(
      fc.record({
        userId: fc.constantFrom(...USERS),
        accessRole: fc.constantFrom('viewer', 'editor'),
        place: places,
      }),
      { maxLength: 6 },
    ),
  });
});

async function build(organizationId: string, scenario: Scenario, where: 'madeIn' | 'endsIn') {
  const folders = scenario.folders.map(({ folderId, accessType, [where]: parentFolderId }) => ({
    folderId,
    accessType,
    parentFolderId,
  }));
  await directory.call('folders/add', { organizationId, createOrganization: true, folders });
  for (const { folderId, ...document } of scenario.documents) {
    await directory.call('documents/add', { organizationId, folderId, documents: [document] });
  }
  for (const { place, ...user } of scenario.grants) {
    await server.call('/v1/users/add', { organizationId, ...place, users: [user] });
  }
}

async function accessIn(organizationId: string, scenario: Scenario) {
  const { body } = await server.call('/v2/auth/permissions/get', {
    organizationId,
    userIds: USERS,
    folderIds: scenario.folders.map(({ folderId }) => folderId),
    documentIds: scenario.documents.map(({ documentId }) => documentId),
  });
  return USERS.map((userId) => {
    const { folders, documents } = body.result.data[userId];
    return { folders, documents };
  });
}

describe('moving folders', () => {
  it('gives every user the same access as if the folders had been created there', async () => {
    let run = 0;
    await fc.assert(
      fc.asyncProperty(scenarios, async (scenario) => {
        run += 1;
        await build(`moved-${run}`, scenario, 'madeIn');
        await build(`made-${run}`, scenario, 'endsIn');
        // Every folder ends below an earlier one. Moving all to the root first avoids cycles.
        for (const target of ['root', 'end']) {
          const moves = scenario.folders.map(({ folderId, endsIn }) => ({
            folderId,
            parentFolderId: target === 'root' ? null : (endsIn ?? null),
          }));
          const outcomes = await directory.updateFolders(`moved-${run}`, moves);
          expect(Object.values(outcomes).every(({ success }) => success)).toBe(true);
        }
        expect(await accessIn(`moved-${run}`, scenario)).toEqual(
          await accessIn(`made-${run}`, scenario),
        );
      }),
      { numRuns: 25 },
    );
  }, 60_000);
});
