import { beforeAll, describe, expect, it } from 'vitest';
import { userHeaders } from '../support/annotations.ts';
import { startTestServer, type TestServer } from '../support/server.ts';

const MANY = 200;
const FOLDER_DEPTH = 5;

let server: TestServer;

const upTo = (count: number) => Array.from({ length: count }, (_, n) => n);
const ids = (prefix: string, count: number) => upTo(count).map((n) => `${prefix}-${n}`);
const userIds = (prefix: string, count: number) => ids(prefix, count).map((userId) => ({ userId }));

/** Chains of five nested folders. A single folder is at the root. */
const folders = (prefix: string, count: number) =>
  upTo(count).map((n) => ({
    folderId: `${prefix}-${n}`,
    parentFolderId: n % FOLDER_DEPTH === 0 ? null : `${prefix}-${n - 1}`,
  }));
const deepestFolder = (prefix: string) => `${prefix}-${FOLDER_DEPTH - 1}`;

const place = { organizationId: 'acme' };
const document = { ...place, documentId: 'there-0' };

async function call(path: string, data: object, headers?: Record<string, string>) {
  const { status, body } = await server.call(path, data, headers);
  expect({ status, body }).toMatchObject({ status: 200, body: { result: { status: 'success' } } });
  return body.result.data;
}

const addUsers = (prefix: string, count: number) =>
  call('/v1/users/add', { ...place, users: userIds(prefix, count) });

const addFolders = (some: object[], organizationId = 'acme') =>
  call('/v2/organizations/folders/add', { organizationId, folders: some });

const documentsIn = (folderId: string | undefined, prefix: string, count: number) => ({
  ...place,
  folderId,
  documents: ids(prefix, count).map((documentId) => ({ documentId })),
});
const addDocuments = (data: object) => call('/v2/organizations/documents/add', data);

const organizationIds = (count: number) => ids(`of-${count}`, Math.min(count, 8));

async function addOrganizations(count: number): Promise<void> {
  const organizations = organizationIds(count).map((organizationId) => ({ organizationId }));
  await call('/v2/organizations/add', { organizations });
  for (const { organizationId } of organizations) {
    await addFolders(folders('f', FOLDER_DEPTH), organizationId);
    await addDocuments({ ...documentsIn(deepestFolder('f'), 'd', 2), organizationId });
  }
}

beforeAll(async () => {
  server = await startTestServer({ ROLES: 'api' });
  await addUsers('there', MANY);
  await addFolders(folders('there', MANY));
  await addDocuments(documentsIn(deepestFolder('there'), 'there', MANY));
  await call('/v2/workspace/activityconfig/update', { activityServiceConfig: { isEnabled: true } });
});

interface Case {
  path: string;
  what?: string;
  /**
   * The number for any size. BEGIN and COMMIT are not counted, nor the lookup of credentials,
   * which are cached.
   */
  statements: number;
  /** Makes what the call needs. */
  prepare?(count: number): Promise<unknown>;
  data(count: number): object;
}

const CASES: Case[] = [
  {
    path: '/v1/users/add',
    statements: 3,
    data: (count) => ({ ...place, users: userIds(`u${count}`, count) }),
  },
  {
    path: '/v1/users/add',
    what: ', of users who are there',
    statements: 3,
    data: (count) => ({ ...place, users: userIds('there', count) }),
  },
  {
    path: '/v2/users/update',
    statements: 5,
    data: (count) => ({
      ...place,
      users: userIds('there', count).map((user) => ({ ...user, name: `Renamed ${count}` })),
    }),
  },
  {
    path: '/v2/users/delete',
    statements: 7,
    prepare: (count) => addUsers(`gone${count}`, count),
    data: (count) => ({ ...place, userIds: ids(`gone${count}`, count) }),
  },
  {
    path: '/v2/organizations/delete',
    what: ', with folders and documents',
    statements: 16,
    prepare: addOrganizations,
    data: (count) => ({ organizationIds: organizationIds(count) }),
  },
  {
    path: '/v2/organizations/folders/add',
    statements: 5,
    data: (count) => ({ ...place, folders: folders(`f${count}`, count) }),
  },
  {
    path: '/v1/organizations/folders/update',
    what: ', which moves them',
    statements: 7,
    prepare: (count) => addFolders(ids(`moved${count}`, count).map((folderId) => ({ folderId }))),
    data: (count) => ({
      ...place,
      folders: ids(`moved${count}`, count).map((folderId) => ({
        folderId,
        parentFolderId: deepestFolder('there'),
      })),
    }),
  },
  {
    path: '/v2/organizations/folders/delete',
    what: ', with folders and documents',
    statements: 15,
    async prepare(count) {
      const prefix = `emptied${count}`;
      await addFolders(folders(prefix, count * FOLDER_DEPTH));
      await addDocuments(documentsIn(deepestFolder(prefix), prefix, count));
    },
    data: (count) => ({
      ...place,
      folderIds: upTo(count).map((n) => `emptied${count}-${n * FOLDER_DEPTH}`),
    }),
  },
  {
    path: '/v2/organizations/documents/add',
    what: ', in a folder five deep',
    statements: 4,
    data: (count) => documentsIn(deepestFolder('there'), `d${count}`, count),
  },
  {
    path: '/v2/organizations/documents/get',
    what: ', in a folder five deep',
    statements: 2,
    data: (count) => ({ ...place, folderId: deepestFolder('there'), pageSize: count }),
  },
  {
    path: '/v2/organizations/documents/move',
    statements: 5,
    prepare: (count) => addDocuments(documentsIn(undefined, `moved${count}`, count)),
    data: (count) => ({
      ...place,
      folderId: deepestFolder('there'),
      documentIds: ids(`moved${count}`, count),
    }),
  },
  {
    path: '/v2/auth/permissions/get',
    what: ', five deep',
    statements: 3,
    data: (count) => ({
      ...place,
      userIds: ids('there', count),
      folderIds: ids('there', count),
      documentIds: ids('there', count),
    }),
  },
  {
    path: '/v2/auth/permissions/add',
    statements: 5,
    data: (count) => ({
      user: { userId: `granted-${count}` },
      permissions: {
        resources: ids('there', count).map((id) => ({ ...place, type: 'document', id })),
      },
    }),
  },
  {
    path: '/v2/presence/update',
    statements: 5,
    data: (count) => ({
      ...document,
      users: userIds(`p${count}`, count).map((user) => ({ ...user, status: 'here' })),
    }),
  },
  {
    path: '/v2/commentannotations/count/get',
    what: ', of documents without annotations',
    statements: 2,
    data: (count) => ({ ...place, documentIds: ids('there', Math.min(count, 30)) }),
  },
  {
    path: '/v2/notifications/unread/count/get',
    what: ', of documents without notifications',
    statements: 2,
    data: (count) => ({ ...place, userId: 'there-0', documentIds: ids('there', count) }),
  },
  {
    path: '/v2/notifications/add',
    statements: 5,
    data: (count) => ({
      ...document,
      actionUser: { userId: 'there-0', name: 'Ada' },
      displayHeadlineMessageTemplate: 'Read this',
      displayBodyMessage: 'Please',
      notifyUsers: userIds('there', count),
    }),
  },
  {
    path: '/v2/activities/add',
    statements: 7,
    data: (count) => ({
      ...place,
      activities: ids(`a${count}`, count).map((activityId) => ({
        activityId,
        featureType: 'invoice',
        actionType: 'invoice.pay',
      })),
    }),
  },
  {
    path: '/v2/memory/judgments/add',
    statements: 4,
    data: (count) => ({
      judgments: ids('item', count).map((query) => ({ ...place, query, decision: 'approved' })),
    }),
  },
  {
    path: '/v2/workspace/apikey/create',
    statements: 3,
    data: (count) => ({
      ownerEmail: 'ada@example.com',
      type: 'testing',
      createAuthToken: true,
      allowedDomains: upTo(count).map((n) => `host-${n}.example.com`),
    }),
  },
];

describe('the number of SQL statements does not depend on the size of the batch', () => {
  it.each(CASES.map((one) => ({ ...one, title: one.path + (one.what ?? '') })))(
    '$title: $statements',
    async ({ path, statements, prepare, data }) => {
      const headers = path.includes('/apikey/') ? server.workspaceHeaders : server.keyHeaders;
      for (const count of [1, MANY]) {
        await prepare?.(count);
        const own = await server.statementsOf(() => call(path, data(count), headers));
        expect(own, `with ${count}:\n${own.join('\n')}`).toHaveLength(statements);
      }
    },
  );
});

describe('access', () => {
  it.each(['get', 'delete'])(
    'is read once for a user who calls crdt/%s on a document without content',
    async (verb) => {
      const editor = { type: 'document', id: 'there-0', organizationId: 'acme' };
      const headers = await userHeaders(server, 'there-0', [editor]);
      const statements = await server.statementsOf(() =>
        call(`/v2/crdt/${verb}`, document, headers),
      );
      expect(statements.filter((text) => text.includes('FROM grants'))).toHaveLength(1);
    },
  );
});
