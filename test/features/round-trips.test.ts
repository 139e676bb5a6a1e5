import { expect, it } from 'vitest';
import { startTestServer } from '../support/server.ts';

/**
 * How often a call for one item waits for the database. Each wait is a write to a socket, a wake-up
 * of PostgreSQL and one of ours, which together are most of what a small call costs.
 */

const place = { organizationId: 'acme', documentId: 'plan' };
const thread = { ...place, annotationId: 'thread' };
const author = { userId: 'ada', name: 'Ada' };
const comment = { commentText: 'Hello', from: author };
const reaction = (icon: string) => ({ ...thread, commentId: 1, icon, userId: 'ada' });

/** A call, what follows the operation in its title, how often it waits, and its data. */
type Case = [title: string, roundTrips: number, data: (n: number) => object];

const acme = { organizationId: 'acme' };
const resources = [{ type: 'document', id: 'plan', organizationId: 'acme' }];
const notification = {
  ...{ displayHeadlineMessageTemplate: 'Read this', displayBodyMessage: 'Please' },
  ...{ actionUser: author, notifyUsers: [{ userId: 'grace' }] },
};

/** The data of the nth call. The first call is not counted. */
const CASES: Case[] = [
  ['presence/update, which only renews', 1, () => ({ ...place, users: [{ userId: 'still' }] })],
  [
    'presence/update, which changes something',
    1,
    (n) => ({ ...place, users: [{ userId: 'moving', status: `status-${n}` }] }),
  ],
  ['presence/delete', 1, () => ({ ...place, userIds: ['somebody'] })],
  ['presence/get', 1, () => place],
  ['commentannotations/get', 1, () => place],
  [
    'commentannotations/add',
    2,
    () => ({ ...place, commentAnnotations: [{ commentData: [comment] }] }),
  ],
  [
    'commentannotations/update',
    2,
    (n) => ({ ...place, annotationIds: ['thread'], updatedData: { priority: { id: `p${n}` } } }),
  ],
  ['commentannotations/delete', 2, (n) => ({ ...place, annotationIds: [`deleted-${n}`] })],
  ['commentannotations/subscribe', 2, (n) => ({ ...thread, userId: `reader-${n}` })],
  ['commentannotations/read', 2, () => ({ ...thread, userId: 'ada' })],
  ['commentannotations/comments/add', 2, () => ({ ...thread, commentData: [comment] })],
  [
    'commentannotations/comments/update',
    2,
    (n) => ({ ...thread, commentData: [{ commentId: 1, commentText: `Hello ${n}` }] }),
  ],
  ['commentannotations/comments/delete', 2, (n) => ({ ...thread, commentIds: [1_000 + n] })],
  ['commentannotations/reactions/add', 2, (n) => reaction(`icon-${n}`)],
  ['commentannotations/reactions/delete', 2, (n) => reaction(`old-${n}`)],
  ['notifications/add', 2, () => ({ ...place, ...notification })],
  [
    'recordings/add',
    2,
    () => ({ ...place, recordings: [{ url: 'https://media.example.com/a.mp4', from: author }] }),
  ],
  ['users/add', 2, (n) => ({ ...acme, users: [{ userId: `user-${n}` }] })],
  ['users/update', 2, (n) => ({ ...acme, users: [{ userId: 'ada', email: `a${n}@example.com` }] })],
  ['organizations/add', 2, (n) => ({ organizations: [{ organizationId: `organization-${n}` }] })],
  ['organizations/folders/add', 3, (n) => ({ ...acme, folders: [{ folderId: `folder-${n}` }] })],
  [
    'organizations/documents/add',
    2,
    (n) => ({ ...acme, documents: [{ documentId: `document-${n}` }] }),
  ],
  [
    'organizations/documents/add, in a folder',
    2,
    (n) => ({ ...acme, folderId: 'drafts', documents: [{ documentId: `draft-${n}` }] }),
  ],
  ['organizations/documents/get', 1, () => ({ ...acme, documentIds: ['plan'] })],
  [
    'auth/permissions/add',
    2,
    (n) => ({ user: { userId: `user-${n}` }, permissions: { resources } }),
  ],
  ['workspace/emailconfig/update', 1, () => ({ useEmailService: false })],
  ['workspace/emailconfig/get', 1, () => ({})],
];

const server = await startTestServer({ ROLES: 'api' });

const call = (operation: string, data: object) =>
  server.ok(operation === 'users/add' ? '/v1/users/add' : `/v2/${operation}`, data);

const annotation = (annotationId: string, comments = [comment] as object[]) => ({
  annotationId,
  commentData: comments,
});

const folders = [{ folderId: 'drafts' }];
await call('organizations/folders/add', { ...acme, createOrganization: true, folders });
const deletable = [1_000, 1_001].map((commentId) => ({ ...comment, commentId }));
await call('commentannotations/add', {
  ...place,
  createDocument: true,
  commentAnnotations: [
    annotation('thread', [{ ...comment, commentId: 1 }, ...deletable]),
    annotation('deleted-0'),
    annotation('deleted-1'),
  ],
});
await call('users/add', { ...acme, users: [author] });
for (const icon of ['old-0', 'old-1']) {
  await call('commentannotations/reactions/add', reaction(icon));
}

it.each(CASES)('%s waits for the database this often: %i', async (title, roundTrips, data) => {
  const [operation = ''] = title.split(',');
  await call(operation, data(0));
  const waits = await server.roundTripsOf(() => call(operation, data(1)));
  expect(waits, waits.map((sent) => sent.join('; ')).join('\n--\n')).toHaveLength(roundTrips);
});
