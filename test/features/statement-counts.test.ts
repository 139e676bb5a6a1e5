import { beforeAll, describe, expect, it } from 'vitest';
import { userHeaders } from '../support/annotations.ts';
import { startTestServer, type TestServer } from '../support/server.ts';

const MANY = 200;
const FOLDER_DEPTH = 5;

let server: TestServer;

const upTo = (count: number) => Array.from({ length: count }, (_, n) => n);

/** Chains of five nested folders. A single folder is at the root. */
const folders = (prefix: string, count: number) =>
  upTo(count).map((n) => ({
    folderId: `${prefix}-${n}`,
    parentFolderId: n % FOLDER_DEPTH === 0 ? null : `${prefix}-${n - 1}`,
  }));

const deepestFolder = (prefix: string) => `${prefix}-${FOLDER_DEPTH - 1}`;

const documents = (prefix: string, count: number) =>
  upTo(count).map((n) => ({ documentId: `${prefix}-${n}` }));

const users = (prefix: string, count: number) =>
  upTo(count).map((n) => ({ userId: `${prefix}-${n}`, name: `User ${n}` }));

async function call(path: string, data: object, headers?: Record<string, string>) {
  const { status, body } = await server.call(path, data, headers);
  expect({ status, body }).toMatchObject({ status: 200, body: { result: { status: 'success' } } });
  return body.result.data;
}

beforeAll(async () => {
  server = await startTestServer({ ROLES: 'api' });
  const place = { organizationId: 'acme' };
  const folderId = deepestFolder('there');
  await call('/v1/users/add', { ...place, users: users('there', MANY) });
  await call('/v2/organizations/folders/add', { ...place, folders: folders('there', MANY) });
  await call('/v2/organizations/documents/add', {
    ...place,
    folderId,
    documents: documents('there', MANY),
  });
});

interface Case {
  operation: string;
  /**
   * The number for any size. BEGIN and COMMIT are not counted, nor the lookup of credentials,
   * which are cached.
   */
  statements: number;
  work(count: number): Promise<unknown>;
}

const CASES: Case[] = [
  {
    operation: 'users/add',
    statements: 3,
    work: (count) =>
      call('/v1/users/add', { organizationId: 'acme', users: users(`u${count}`, count) }),
  },
  {
    operation: 'users/add, of users who are there',
    statements: 3,
    work: (count) =>
      call('/v1/users/add', { organizationId: 'acme', users: users('there', count) }),
  },
  {
    operation: 'folders/add',
    statements: 5,
    work: (count) =>
      call('/v2/organizations/folders/add', {
        organizationId: 'acme',
        folders: folders(`f${count}`, count),
      }),
  },
  {
    operation: 'documents/add, in a folder five deep',
    statements: 4,
    work: (count) =>
      call('/v2/organizations/documents/add', {
        organizationId: 'acme',
        folderId: deepestFolder('there'),
        documents: documents(`d${count}`, count),
      }),
  },
  {
    operation: 'documents/get, in a folder five deep',
    statements: 2,
    async work(count) {
      const data = { organizationId: 'acme', folderId: deepestFolder('there'), pageSize: count };
      expect(await call('/v2/organizations/documents/get', data)).toHaveLength(count);
    },
  },
  {
    operation: 'permissions/get, five deep',
    statements: 3,
    work: (count) =>
      call('/v2/auth/permissions/get', {
        organizationId: 'acme',
        userIds: users('there', count).map(({ userId }) => userId),
        folderIds: folders('there', count).map(({ folderId }) => folderId),
        documentIds: documents('there', count).map(({ documentId }) => documentId),
      }),
  },
  {
    operation: 'commentannotations/count/get, of documents without annotations',
    statements: 2,
    work: (count) =>
      call('/v2/commentannotations/count/get', {
        organizationId: 'acme',
        documentIds: documents('there', Math.min(count, 30)).map(({ documentId }) => documentId),
      }),
  },
  {
    operation: 'notifications/unread/count/get, of documents without notifications',
    statements: 2,
    work: (count) =>
      call('/v2/notifications/unread/count/get', {
        organizationId: 'acme',
        userId: 'there-0',
        documentIds: documents('there', count).map(({ documentId }) => documentId),
      }),
  },
  {
    operation: 'apikey/create',
    statements: 3,
    work: (count) =>
      call(
        '/v2/workspace/apikey/create',
        {
          ownerEmail: 'ada@example.com',
          type: 'testing',
          createAuthToken: true,
          allowedDomains: upTo(count).map((n) => `host-${n}.example.com`),
        },
        server.workspaceHeaders,
      ),
  },
];

/** Background work runs at any time, and marks its statements. */
async function ownStatements(work: () => Promise<unknown>): Promise<string[]> {
  const statements = await server.statementsOf(work);
  return statements.filter((text) => !text.includes('background */'));
}

describe('the number of SQL statements does not depend on the size of the batch', () => {
  it.each(CASES)('$operation: $statements', async ({ statements, work }) => {
    for (const count of [1, MANY]) {
      expect(await ownStatements(() => work(count)), `with ${count}`).toHaveLength(statements);
    }
  });
});

describe('access', () => {
  it.each(['get', 'delete'])(
    'is read once for a user who calls crdt/%s on a document without content',
    async (verb) => {
      const place = { organizationId: 'acme', documentId: 'there-0' };
      const editor = { type: 'document', id: 'there-0', organizationId: 'acme' };
      const headers = await userHeaders(server, 'there-0', [editor]);
      const statements = await ownStatements(() => call(`/v2/crdt/${verb}`, place, headers));
      expect(statements.filter((text) => text.includes('FROM grants'))).toHaveLength(1);
    },
  );
});
