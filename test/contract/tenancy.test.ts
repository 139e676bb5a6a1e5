import { describe, expect, it } from 'vitest';
import { dataOf, failureOf } from '../support/answers.ts';
import { organize } from '../support/directory.ts';
import { NOTIFICATION } from '../support/notifications.ts';
import { createTenant, startTestServer } from '../support/server.ts';

type Headers = Record<string, string>;
const server = await startTestServer();

const RESOURCES = [
  { type: 'organization', id: 'acme' },
  { type: 'folder', id: 'f', organizationId: 'acme' },
  { type: 'document', id: 'd', organizationId: 'acme' },
];
const acme = { organizationId: 'acme' };
const plan = { ...acme, documentId: 'd' };

type Call = [path: string, data: object];

const READS: Call[] = [
  ['/v2/auth/permissions/get', { ...acme, userIds: ['ada'] }],
  ['/v2/auth/permissions/get', { ...acme, userIds: ['ada'], folderIds: ['f'] }],
  ['/v2/auth/permissions/get', { ...acme, userIds: ['ada'], documentIds: ['d'] }],
  ['/v2/auth/permissions/explain', { ...acme, userId: 'ada' }],
  ['/v2/organizations/get', {}],
  ['/v2/organizations/folders/get', acme],
  ['/v2/organizations/documents/get', acme],
  ['/v2/organizations/documents/get', { ...acme, documentIds: ['d'] }],
  ['/v2/organizations/documents/get', { ...acme, folderId: 'f' }],
  ['/v2/organizations/usergroups/get', acme],
  ['/v2/users/get', acme],
  ['/v2/activities/get', acme],
  ['/v2/activities/verify', acme],
  ['/v2/commentannotations/get', {}],
  ['/v2/commentannotations/get', { annotationIds: ['a'] }],
  ['/v2/notifications/get', { ...acme, documentId: 'd' }],
  ['/v2/memory/judgments/query', {}],
  ['/v2/memory/search', { query: 'Refund the parcel' }],
];

/** Writes that change nothing if the organization `acme` is missing. */
const WRITES: Call[] = [
  ['/v2/organizations/update', { organizations: [{ ...acme, organizationName: 'Taken' }] }],
  ['/v2/organizations/documents/add', { ...acme, documents: [{ documentId: 'd' }] }],
  ['/v2/organizations/folders/add', { ...acme, folders: [{ folderId: 'f' }] }],
  ['/v2/organizations/usergroups/add', { ...acme, organizationUserGroups: [{ groupId: 'g' }] }],
  ['/v1/users/add', { ...acme, folderId: 'f', users: [{ userId: 'ada' }] }],
  ['/v2/notifications/add', { ...NOTIFICATION, ...plan }],
  ...RESOURCES.map(
    (resource): Call => [
      '/v2/auth/generate_token',
      { userId: 'ada', permissions: { resources: [resource] } },
    ],
  ),
];

const theGroup = { ...acme, organizationUserGroupId: 'g' };
/** Writes that change nothing if the organization `acme` is empty. */
const CHANGES: Call[] = [
  ['/v2/organizations/documents/update', { ...acme, documents: [{ documentId: 'd', size: 1 }] }],
  ['/v2/organizations/documents/move', { ...acme, documentIds: ['d'], folderId: null }],
  [
    '/v2/organizations/documents/access/update',
    { ...acme, documentIds: ['d'], accessType: 'public' },
  ],
  ['/v1/organizations/folders/update', { ...acme, folders: [{ folderId: 'f', size: 1 }] }],
  ['/v2/commentannotations/delete', { ...plan, annotationIds: ['a'] }],
  ['/v2/notifications/delete', { ...acme, notificationIds: ['n'] }],
  ['/v1/organizations/usergroups/users/delete', { ...theGroup, deleteAll: true }],
  ['/v2/organizations/usergroups/delete', { ...acme, organizationUserGroupIds: ['g'] }],
  ['/v2/users/update', { ...acme, users: [{ userId: 'ada', name: 'Taken' }] }],
  ['/v2/users/delete', { ...acme, userIds: ['ada'] }],
  ['/v2/organizations/documents/delete', { ...acme, documentIds: ['d'] }],
  ['/v2/organizations/folders/delete', { ...acme, folderId: 'f' }],
];

/** Returns the answers as text, to compare them byte for byte. */
async function answersTo(calls: Call[], headers: Headers): Promise<string[]> {
  const answers: string[] = [];
  for (const [path, data] of calls) {
    const { status, body } = await server.call(path, data, headers);
    answers.push(`${path} ${status} ${JSON.stringify(body)}`);
  }
  return answers;
}

/** Creates every resource that the calls read. */
async function fill(headers: Headers, accessRole = 'editor') {
  const users = [{ userId: 'ada', name: 'Ada', accessRole }];
  const folders = [{ folderId: 'f', accessType: 'restricted' }];
  const documents = [{ documentId: 'd', documentName: `For an ${accessRole}` }];
  const commentData = [{ commentText: 'Hello', from: { userId: 'ada' } }];
  const commentAnnotations = [{ annotationId: 'a', commentData }];
  const judgments = [{ query: 'Refund the parcel', decision: 'approved' }];
  for (const [path, data] of [
    ['/v1/users/add', { ...acme, users }],
    ['/v2/organizations/folders/add', { ...acme, folders }],
    ['/v2/organizations/documents/add', { ...acme, folderId: 'f', documents }],
    ['/v1/users/add', { ...plan, users }],
    ['/v1/organizations/usergroups/users/add', { ...theGroup, userIds: ['ada'] }],
    ['/v2/commentannotations/add', { ...plan, commentAnnotations }],
    ['/v2/notifications/add', { ...NOTIFICATION, ...plan, notificationId: 'n' }],
    ['/v2/memory/judgments/add', { judgments }],
  ] as const) {
    await server.ok(path, data, headers);
  }
}

const eventsOf = async (headers: Headers) =>
  (await server.ok('/v2/events/get', {}, headers)).events;

describe('data of one API key', () => {
  it('looks missing to another key, byte for byte', async () => {
    const [owner, other] = [await createTenant(server), await createTenant(server)];
    const calls = [...READS, ...WRITES];
    const before = await answersTo(calls, other);
    await fill(owner);
    expect(await answersTo(calls, other)).toEqual(before);
    expect(await eventsOf(other)).toEqual([]);
  });

  it('is returned to the key itself', async () => {
    const owner = await createTenant(server);
    const calls = [...READS, ...WRITES];
    const before = await answersTo(calls, owner);
    await fill(owner);
    const after = await answersTo(calls, owner);
    for (const [index, answer] of after.entries()) expect(answer).not.toBe(before[index]);
  });

  it('does not collide with the same ids under another key', async () => {
    const [one, two] = [await createTenant(server), await createTenant(server)];
    await fill(one, 'editor');
    const before = await answersTo(READS, one);
    const events = await eventsOf(one);
    await fill(two, 'viewer');
    expect(await eventsOf(one)).toEqual(events);
    const query = { ...acme, userIds: ['ada'], documentIds: ['d'] };
    const roleFor = async (headers: Headers) =>
      (await server.ok('/v2/auth/permissions/get', query, headers)).ada.documents.d.accessRole;
    expect([await roleFor(one), await roleFor(two)]).toEqual(['editor', 'viewer']);
    expect(await answersTo(READS, one)).toEqual(before);
  });

  it('is not changed by another key that names the same ids in an organization of its own', async () => {
    const [owner, other] = [await createTenant(server), await createTenant(server)];
    await server.ok('/v2/organizations/add', { organizations: [acme] }, other);
    const before = await answersTo(CHANGES, other);
    await fill(owner);
    const read = await answersTo(READS, owner);
    expect(await answersTo(CHANGES, other)).toEqual(before);
    expect(await answersTo(READS, owner)).toEqual(read);
    const own = await answersTo(CHANGES, owner);
    for (const [index, answer] of own.entries()) expect(answer).not.toBe(before[index]);
  });

  it("requires the key's own page tokens", async () => {
    const [one, two] = [await createTenant(server), await createTenant(server)];
    for (const headers of [one, two])
      await organize(server, 'acme', { documents: ['a', 'b'] }, headers);
    const path = '/v2/organizations/documents/get';
    const first = await server.call(path, { ...acme, pageSize: 1 }, one);
    const { pageToken } = first.body.result;
    const withToken = (headers: Headers) => server.call(path, { ...acme, pageToken }, headers);
    expect(dataOf(await withToken(one))).toHaveLength(1);
    expect(failureOf(await withToken(two)).status).toBe('INVALID_ARGUMENT');
  });
});
