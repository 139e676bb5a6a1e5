import { beforeAll, describe, expect, it } from 'vitest';
import { startTestServer, type TestServer } from '../support/server.ts';

/**
 * How often a call for one item waits for the database. Each wait is a write to a socket, a wake-up
 * of PostgreSQL and one of ours, which together are most of what a small call costs.
 */

const place = { organizationId: 'acme', documentId: 'plan' };
const thread = { ...place, annotationId: 'thread' };
const author = { userId: 'ada', name: 'Ada' };
const comment = { commentText: 'Hello', from: author };

interface Case {
  operation: string;
  roundTrips: number;
  path: string;
  /** The nth call. The first one is not counted. */
  data(n: number): object;
}

const WRITES: Case[] = [
  {
    operation: 'presence/update, which only renews',
    roundTrips: 1,
    path: '/v2/presence/update',
    data: () => ({ ...place, users: [{ userId: 'still' }] }),
  },
  {
    operation: 'presence/update, which changes something',
    roundTrips: 1,
    path: '/v2/presence/update',
    data: (n) => ({ ...place, users: [{ userId: 'moving', status: `status-${n}` }] }),
  },
  {
    operation: 'presence/delete',
    roundTrips: 1,
    path: '/v2/presence/delete',
    data: () => ({ ...place, userIds: ['somebody'] }),
  },
  {
    operation: 'commentannotations/add',
    roundTrips: 2,
    path: '/v2/commentannotations/add',
    data: () => ({ ...place, commentAnnotations: [{ commentData: [comment] }] }),
  },
  {
    operation: 'commentannotations/update',
    roundTrips: 2,
    path: '/v2/commentannotations/update',
    data: (n) => ({
      ...place,
      annotationIds: ['thread'],
      updatedData: { priority: { id: `p${n}` } },
    }),
  },
  {
    operation: 'commentannotations/delete',
    roundTrips: 2,
    path: '/v2/commentannotations/delete',
    data: (n) => ({ ...place, annotationIds: [`deleted-${n}`] }),
  },
  {
    operation: 'commentannotations/subscribe',
    roundTrips: 2,
    path: '/v2/commentannotations/subscribe',
    data: (n) => ({ ...thread, userId: `reader-${n}` }),
  },
  {
    operation: 'commentannotations/read',
    roundTrips: 2,
    path: '/v2/commentannotations/read',
    data: () => ({ ...thread, userId: 'ada' }),
  },
  {
    operation: 'comments/add',
    roundTrips: 2,
    path: '/v2/commentannotations/comments/add',
    data: () => ({ ...thread, commentData: [comment] }),
  },
  {
    operation: 'comments/update',
    roundTrips: 2,
    path: '/v2/commentannotations/comments/update',
    data: (n) => ({ ...thread, commentData: [{ commentId: 1, commentText: `Hello ${n}` }] }),
  },
  {
    operation: 'comments/delete',
    roundTrips: 2,
    path: '/v2/commentannotations/comments/delete',
    data: (n) => ({ ...thread, commentIds: [1_000 + n] }),
  },
  {
    operation: 'reactions/add',
    roundTrips: 2,
    path: '/v2/commentannotations/reactions/add',
    data: (n) => ({ ...thread, commentId: 1, icon: `icon-${n}`, userId: 'ada' }),
  },
  {
    operation: 'reactions/delete',
    roundTrips: 2,
    path: '/v2/commentannotations/reactions/delete',
    data: (n) => ({ ...thread, commentId: 1, icon: `old-${n}`, userId: 'ada' }),
  },
  {
    operation: 'notifications/add',
    roundTrips: 2,
    path: '/v2/notifications/add',
    data: () => ({
      ...place,
      actionUser: author,
      displayHeadlineMessageTemplate: 'Read this',
      displayBodyMessage: 'Please',
      notifyUsers: [{ userId: 'grace' }],
    }),
  },
  {
    operation: 'recordings/add',
    roundTrips: 2,
    path: '/v2/recordings/add',
    data: () => ({
      ...place,
      recordings: [{ url: 'https://media.example.com/a.mp4', from: author }],
    }),
  },
  {
    operation: 'users/add',
    roundTrips: 2,
    path: '/v1/users/add',
    data: (n) => ({ organizationId: 'acme', users: [{ userId: `user-${n}` }] }),
  },
  {
    operation: 'users/update',
    roundTrips: 2,
    path: '/v2/users/update',
    data: (n) => ({
      organizationId: 'acme',
      users: [{ userId: 'ada', email: `a${n}@example.com` }],
    }),
  },
  {
    operation: 'organizations/add',
    roundTrips: 2,
    path: '/v2/organizations/add',
    data: (n) => ({ organizations: [{ organizationId: `organization-${n}` }] }),
  },
  {
    operation: 'folders/add',
    roundTrips: 3,
    path: '/v2/organizations/folders/add',
    data: (n) => ({ organizationId: 'acme', folders: [{ folderId: `folder-${n}` }] }),
  },
  {
    operation: 'documents/add',
    roundTrips: 2,
    path: '/v2/organizations/documents/add',
    data: (n) => ({ organizationId: 'acme', documents: [{ documentId: `document-${n}` }] }),
  },
  {
    operation: 'documents/add, in a folder',
    roundTrips: 2,
    path: '/v2/organizations/documents/add',
    data: (n) => ({
      organizationId: 'acme',
      folderId: 'drafts',
      documents: [{ documentId: `draft-${n}` }],
    }),
  },
  {
    operation: 'permissions/add',
    roundTrips: 2,
    path: '/v2/auth/permissions/add',
    data: (n) => ({
      user: { userId: `user-${n}` },
      permissions: { resources: [{ type: 'document', id: 'plan', organizationId: 'acme' }] },
    }),
  },
  {
    operation: 'emailconfig/update',
    roundTrips: 1,
    path: '/v2/workspace/emailconfig/update',
    data: () => ({ useEmailService: false }),
  },
];

const READS: Case[] = [
  {
    operation: 'emailconfig/get',
    roundTrips: 1,
    path: '/v2/workspace/emailconfig/get',
    data: () => ({}),
  },
  {
    operation: 'documents/get',
    roundTrips: 1,
    path: '/v2/organizations/documents/get',
    data: () => ({ organizationId: 'acme', documentIds: ['plan'] }),
  },
  {
    operation: 'commentannotations/get',
    roundTrips: 1,
    path: '/v2/commentannotations/get',
    data: () => place,
  },
  { operation: 'presence/get', roundTrips: 1, path: '/v2/presence/get', data: () => place },
];

let server: TestServer;

async function call(path: string, data: object) {
  const { status, body } = await server.call(path, data);
  expect({ status, body }).toMatchObject({ status: 200, body: { result: { status: 'success' } } });
}

const annotation = (annotationId: string, comments = [comment] as object[]) => ({
  annotationId,
  commentData: comments,
});

beforeAll(async () => {
  server = await startTestServer({ ROLES: 'api' });
  const folders = [{ folderId: 'drafts' }];
  await call('/v2/organizations/folders/add', {
    organizationId: 'acme',
    createOrganization: true,
    folders,
  });
  const deletable = [1_000, 1_001].map((commentId) => ({ ...comment, commentId }));
  await call('/v2/commentannotations/add', {
    ...place,
    createDocument: true,
    commentAnnotations: [
      annotation('thread', [{ ...comment, commentId: 1 }, ...deletable]),
      annotation('deleted-0'),
      annotation('deleted-1'),
    ],
  });
  await call('/v1/users/add', { organizationId: 'acme', users: [author] });
  for (const icon of ['old-0', 'old-1']) {
    const reaction = { ...thread, commentId: 1, icon, userId: 'ada' };
    await call('/v2/commentannotations/reactions/add', reaction);
  }
});

describe('round trips to the database', () => {
  it.each([...WRITES, ...READS])('$operation: $roundTrips', async ({ path, data, roundTrips }) => {
    await call(path, data(0));
    const waits = await server.roundTripsOf(() => call(path, data(1)));
    expect(waits.length, `\n${waits.map((sent) => sent.join('; ')).join('\n--\n')}`).toBe(
      roundTrips,
    );
  });
});
