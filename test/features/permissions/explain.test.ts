import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { dataOf } from '../../support/answers.ts';
import { testServer } from '../../support/server.ts';

const NOW = 1_800_000_000;

const server = testServer({}, { clock: { now: () => NOW * 1000 } });

const ok = async (path: string, data: object) => dataOf(await server.call(path, data));

const explain = (data: object) => ok('/v2/auth/permissions/explain', data);
const give = (userId: string, ...resources: object[]) =>
  ok('/v2/auth/permissions/add', { user: { userId }, permissions: { resources } });

async function contracts(organizationId: string) {
  const folders = [
    { folderId: 'legal', accessType: 'restricted' },
    { folderId: 'contracts', parentFolderId: 'legal' },
  ];
  const documents = [{ documentId: 'lease' }];
  await ok('/v2/organizations/folders/add', { organizationId, createOrganization: true, folders });
  await ok('/v2/organizations/documents/add', { organizationId, folderId: 'contracts', documents });
}

describe('permissions/explain', () => {
  it('returns the source of the access type, and whether the grant on each resource decides', async () => {
    const organizationId = 'explained';
    await contracts(organizationId);
    const ended = { accessRole: 'viewer', expiresAt: NOW };
    await give(
      'ada',
      { type: 'organization', id: organizationId, accessRole: 'editor' },
      { type: 'folder', id: 'contracts', organizationId, ...ended },
    );
    const on = (type: string, id: string) => ({ step: 'grant', resource: { type, id } });
    const query = { organizationId, userId: 'ada', documentId: 'lease' };
    expect(await explain(query)).toEqual({
      ...query,
      decision: {
        error: 'The user has no access to this document.',
        ...{ errorCode: 'permission_denied', accessType: 'restricted' },
      },
      steps: [
        {
          ...{ step: 'accessType', accessType: 'restricted' },
          resource: { type: 'folder', id: 'legal' },
          message: 'It is restricted, like the folder legal.',
        },
        {
          ...{ ...on('document', 'lease'), outcome: 'absent' },
          message: 'The document lease: the user has no role here.',
        },
        {
          ...{ ...on('folder', 'contracts'), outcome: 'expired', ...ended },
          message: 'The folder contracts: the role that the user had here has ended.',
        },
        {
          ...{ ...on('folder', 'legal'), outcome: 'absent' },
          message: 'The folder legal: the user has no role here.',
        },
        {
          ...{ ...on('organization', 'explained'), outcome: 'restricted', accessRole: 'editor' },
          message: 'The organization explained: a role here opens nothing that is restricted.',
        },
        {
          ...{ step: 'noGrant', accessType: 'restricted' },
          message: 'Nobody without a role on it or on a folder above it can open it.',
        },
      ],
    });
  });

  it('ends with the deciding grant, and returns its expiry and context', async () => {
    const organizationId = 'decided';
    await contracts(organizationId);
    const until = { expiresAt: NOW + 60, context: { access: { department: ['legal'] } } };
    const grant = { accessRole: 'viewer', ...until };
    await give('ada', { type: 'folder', id: 'legal', organizationId, ...grant });
    const query = { organizationId, userId: 'ada', folderId: 'contracts' };
    const { decision, steps } = await explain(query);
    const decided = { accessRole: 'viewer', accessType: 'restricted', expiresAt: NOW + 60 };
    expect(decision).toEqual(decided);
    expect(steps.at(-1)).toMatchObject({ outcome: 'decides', ...grant });
  });

  it('explains the organization if neither document nor folder is named', async () => {
    const organizationId = 'private';
    await contracts(organizationId);
    const denied = await explain({ organizationId, userId: 'nobody' });
    expect(denied.decision.errorCode).toBe('permission_denied');
    expect(denied.steps.map((step: { step: string }) => step.step)).toEqual([
      'accessType',
      'grant',
      'noGrant',
    ]);
  });

  it('accepts a document or a folder, not both', async () => {
    const data = { organizationId: 'known', userId: 'ada', folderId: 'a', documentId: 'b' };
    const { body } = await server.call('/v2/auth/permissions/explain', data);
    expect(body.error.details.issues[0].path).toBe('folderId');
  });
});

interface Tree {
  /** An earlier folder, or undefined for the root. */
  folders: Array<{ parent: number; accessType: string | undefined }>;
  documents: Array<{ folder: number | undefined; accessType: string | undefined }>;
  grants: Array<{ user: number; place: number; accessRole: string; expiresAt: number | undefined }>;
}

const type = fc.constantFrom(undefined, 'public', 'organizationPrivate', 'restricted');
const tree: fc.Arbitrary<Tree> = fc.record({
  folders: fc.array(fc.record({ parent: fc.nat(6), accessType: type }), {
    minLength: 1,
    maxLength: 6,
  }),
  documents: fc.array(
    fc.record({ folder: fc.option(fc.nat(5), { nil: undefined }), accessType: type }),
    { minLength: 1, maxLength: 4 },
  ),
  grants: fc.array(
    fc.record({
      user: fc.nat(2),
      place: fc.nat(10),
      accessRole: fc.constantFrom('viewer', 'editor'),
      expiresAt: fc.constantFrom(undefined, NOW, NOW + 1, NOW - 1),
    }),
    { maxLength: 12 },
  ),
});

let planted = 0;

/** Creates the tree in its own organization. */
async function plant({ folders, documents, grants }: Tree) {
  const organizationId = `tree-${planted++}`;
  const folderIds = folders.map((_, index) => `folder-${index}`);
  await ok('/v2/organizations/folders/add', {
    organizationId,
    createOrganization: true,
    folders: folders.map(({ parent, accessType }, index) => ({
      folderId: folderIds[index],
      parentFolderId: parent < index ? folderIds[parent] : undefined,
      accessType,
    })),
  });
  const documentIds: string[] = [];
  for (const [index, { folder, accessType }] of documents.entries()) {
    const documentId = `document-${index}`;
    documentIds.push(documentId);
    const folderId = folder === undefined ? undefined : folderIds[folder % folderIds.length];
    const added = [{ documentId, accessType }];
    await ok('/v2/organizations/documents/add', { organizationId, folderId, documents: added });
  }
  const places = [
    { type: 'organization', id: organizationId },
    ...folderIds.map((id) => ({ type: 'folder', id, organizationId })),
    ...documentIds.map((id) => ({ type: 'document', id, organizationId })),
  ];
  for (const { user, place, accessRole, expiresAt } of grants) {
    await give(`user-${user}`, { ...places[place % places.length], accessRole, expiresAt });
  }
  return { organizationId, folderIds, documentIds };
}

describe('the decision explained', () => {
  it('equals the answer of permissions/get, in trees of every shape', async () => {
    const userIds = ['user-0', 'user-1', 'user-2', 'unknown'];
    await fc.assert(
      fc.asyncProperty(tree, async (given) => {
        const { organizationId, folderIds, documentIds } = await plant(given);
        const query = { organizationId, userIds, folderIds, documentIds };
        const permissions = await ok('/v2/auth/permissions/get', query);
        for (const userId of userIds) {
          const { folders, documents, organization } = permissions[userId];
          const decide = async (place: object) =>
            (await explain({ organizationId, userId, ...place })).decision;
          expect(await decide({})).toEqual(organization[organizationId]);
          for (const folderId of folderIds) {
            expect(await decide({ folderId })).toEqual(folders[folderId]);
          }
          for (const documentId of documentIds) {
            expect(await decide({ documentId })).toEqual(documents[documentId]);
          }
        }
      }),
      { numRuns: 25 },
    );
  }, 60_000);
});
