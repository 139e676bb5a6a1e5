import { beforeAll, describe, expect, it } from 'vitest';
import { dataOf, failureOf } from '../support/answers.ts';
import { createTenant, startTestServer, type TestServer } from '../support/server.ts';

type Headers = Record<string, string>;

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer();
});

const RESOURCES = [
  { type: 'organization', id: 'acme' },
  { type: 'folder', id: 'f', organizationId: 'acme' },
  { type: 'document', id: 'd', organizationId: 'acme' },
];
const acme = { organizationId: 'acme' };

type Call = [path: string, data: object];

const READS: Call[] = [
  ['/v2/auth/permissions/get', { ...acme, userIds: ['ada'] }],
  ['/v2/auth/permissions/get', { ...acme, userIds: ['ada'], folderIds: ['f'] }],
  ['/v2/auth/permissions/get', { ...acme, userIds: ['ada'], documentIds: ['d'] }],
  ['/v2/organizations/documents/get', acme],
  ['/v2/organizations/documents/get', { ...acme, documentIds: ['d'] }],
  ['/v2/organizations/documents/get', { ...acme, folderId: 'f' }],
];

/** Writes that change nothing if the organization `acme` is missing. */
const WRITES: Call[] = [
  ['/v2/organizations/documents/add', { ...acme, documents: [{ documentId: 'd' }] }],
  ['/v2/organizations/folders/add', { ...acme, folders: [{ folderId: 'f' }] }],
  ['/v1/users/add', { ...acme, folderId: 'f', users: [{ userId: 'ada' }] }],
  ...RESOURCES.map(
    (resource): Call => [
      '/v2/auth/generate_token',
      { userId: 'ada', permissions: { resources: [resource] } },
    ],
  ),
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
  for (const [path, data] of [
    ['/v1/users/add', { ...acme, users }],
    ['/v2/organizations/folders/add', { ...acme, folders }],
    ['/v2/organizations/documents/add', { ...acme, folderId: 'f', documents }],
    ['/v1/users/add', { ...acme, documentId: 'd', users }],
  ] as const) {
    dataOf(await server.call(path, data, headers));
  }
}

const eventsOf = async (headers: Headers) =>
  dataOf(await server.call('/v2/events/get', {}, headers)).events;

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
      dataOf(await server.call('/v2/auth/permissions/get', query, headers)).ada.documents.d
        .accessRole;
    expect([await roleFor(one), await roleFor(two)]).toEqual(['editor', 'viewer']);
    expect(await answersTo(READS, one)).toEqual(before);
  });

  it("requires the key's own auth tokens", async () => {
    const [one, two] = [await createTenant(server), await createTenant(server)];
    const crossed = { ...one, 'x-svc-auth-token': two['x-svc-auth-token'] ?? '' };
    const unknown = { ...one, 'x-svc-api-key': 'unknown' };
    const [ofOther, ofNobody] = [
      await server.call('/v2/events/get', {}, crossed),
      await server.call('/v2/events/get', {}, unknown),
    ];
    expect(failureOf(ofOther)).toMatchObject({ http: 403, status: 'PERMISSION_DENIED' });
    expect(JSON.stringify(ofOther.body)).toBe(JSON.stringify(ofNobody.body));
  });

  it("requires the key's own page tokens", async () => {
    const [one, two] = [await createTenant(server), await createTenant(server)];
    const documents = ['a', 'b'].map((documentId) => ({ documentId }));
    for (const headers of [one, two]) {
      const input = { ...acme, createOrganization: true, documents };
      dataOf(await server.call('/v2/organizations/documents/add', input, headers));
    }
    const path = '/v2/organizations/documents/get';
    const first = await server.call(path, { ...acme, pageSize: 1 }, one);
    const { pageToken } = first.body.result;
    const withToken = (headers: Headers) => server.call(path, { ...acme, pageToken }, headers);
    expect(dataOf(await withToken(one))).toHaveLength(1);
    expect(failureOf(await withToken(two)).status).toBe('INVALID_ARGUMENT');
  });
});
