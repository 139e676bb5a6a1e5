import { describe, expect, it } from 'vitest';
import { dataOf, failureOf, fresh, UNUSUAL_IDS } from '../../support/answers.ts';
import { testServer } from '../../support/server.ts';

/** The server's time in Unix seconds. */
let now = 1_800_000_000;
const server = testServer({}, { clock: { now: () => now * 1000 } });

interface Query {
  organizationId: string;
  userIds: string[];
  folderIds?: string[];
  documentIds?: string[];
}
interface Grant {
  type: 'organization' | 'folder' | 'document';
  id: string;
  accessRole?: 'viewer' | 'editor';
  expiresAt?: number;
  context?: { access: Record<string, string[]> };
}

const ask = (query: Query) => server.call('/v2/auth/permissions/get', query);
const get = async (query: Query) => dataOf(await ask(query));

/** An organization with folders and documents, each document named after its folder. */
async function organizationWith(folders: object[], documents: object[] = []) {
  const organizationId = fresh('org');
  const place = { organizationId, createOrganization: true };
  const add = async (what: string, data: object) =>
    dataOf(await server.call(`/v2/organizations/${what}/add`, { ...place, ...data }));
  await add('documents', { documents: [{ documentId: 'outside' }, ...documents] });
  if (folders.length > 0) await add('folders', { folders });
  for (const { folderId } of folders as Array<{ folderId: string }>) {
    await add('documents', { folderId, documents: [{ documentId: `in ${folderId}` }] });
  }
  return organizationId;
}

/** A user of that organization with these grants. */
async function userWith(organizationId: string, ...resources: Grant[]): Promise<string> {
  const userId = fresh('user');
  const permissions = {
    resources: resources.map((grant) => ({ organizationId, ...grant })),
  };
  dataOf(await server.call('/v2/auth/generate_token', { userId, permissions }));
  return userId;
}

const denied = (accessType: string) => ({
  error: expect.any(String),
  errorCode: 'permission_denied',
  accessType,
});
const missing = { error: expect.stringContaining('does not exist'), errorCode: 'does_not_exist' };

describe('auth/permissions/get', () => {
  it('returns an entry for each user, with only the requested parts', async () => {
    const organizationId = await organizationWith([{ folderId: 'f' }]);
    const userId = await userWith(organizationId, { type: 'organization', id: organizationId });
    const organization = {
      [organizationId]: { accessRole: 'editor', accessType: 'organizationPrivate' },
    };
    const entry = { accessRole: 'editor', accessType: 'public' };
    expect((await ask({ organizationId, userIds: [userId] })).body).toEqual({
      result: {
        status: 'success',
        message: 'User permissions retrieved successfully.',
        data: { [userId]: { organization } },
      },
    });
    const folderIds = ['f'];
    const documentIds = ['outside', 'in f'];
    expect(await get({ organizationId, userIds: [userId], folderIds, documentIds })).toEqual({
      [userId]: {
        organization,
        folders: { f: entry },
        documents: { outside: entry, 'in f': entry },
      },
    });
  });

  it('treats an unknown user like one without a grant', async () => {
    const organizationId = await organizationWith([{ folderId: 'f', accessType: 'restricted' }]);
    const known = await userWith(organizationId);
    const query = { organizationId, folderIds: ['f'], documentIds: ['outside', 'in f'] };
    const answer = await get({ ...query, userIds: [known, 'unknown'] });
    expect(answer[known]).toEqual(answer.unknown);
  });

  it("returns each user's own access, also for users with equal grants", async () => {
    const organizationId = await organizationWith([{ folderId: 'f', accessType: 'restricted' }]);
    const onFolder = { type: 'folder', id: 'f' } as const;
    const viewer = { accessRole: 'viewer' } as const;
    const lent = { ...viewer, expiresAt: now + 60 };
    const grants = [[], [onFolder], [onFolder], [{ ...onFolder, ...viewer }], []];
    const users = await Promise.all(grants.map((own) => userWith(organizationId, ...own)));
    const borrower = await userWith(organizationId, { ...onFolder, ...lent });
    const answer = await get({ organizationId, userIds: [...users, borrower], folderIds: ['f'] });
    const accessType = 'restricted';
    const editor = { accessRole: 'editor', accessType };
    const entries = [...users, borrower].map((userId) => answer[userId].folders.f);
    const nothing = denied(accessType);
    const roles = [nothing, editor, editor, { ...viewer, accessType }, nothing];
    expect(entries).toEqual([...roles, { ...lent, accessType }]);
  });

  it('keeps every id exactly as it was given, also unusual ones', async () => {
    const organizationId = fresh('org/ :é');
    const folders = UNUSUAL_IDS.map((folderId) => ({ folderId, accessType: 'restricted' }));
    const documents = UNUSUAL_IDS.map((documentId) => ({ documentId }));
    const place = { organizationId, createOrganization: true };
    dataOf(await server.call('/v2/organizations/folders/add', { ...place, folders }));
    dataOf(await server.call('/v2/organizations/documents/add', { ...place, documents }));
    const [first = ''] = UNUSUAL_IDS;
    const userId = await userWith(organizationId, { type: 'folder', id: first });
    const answer = await get({
      organizationId,
      userIds: [...UNUSUAL_IDS, userId],
      folderIds: UNUSUAL_IDS,
      documentIds: UNUSUAL_IDS,
    });
    expect(Object.keys(answer).sort()).toEqual([...UNUSUAL_IDS, userId].sort());
    for (const id of UNUSUAL_IDS) {
      expect(answer[id].folders[id]).toEqual(denied('restricted'));
      expect(answer[id].documents[id].accessRole).toBe('viewer');
      expect(answer[userId].folders[id].accessRole).toBe(id === first ? 'editor' : undefined);
    }
  });

  it.each(['userIds', 'folderIds', 'documentIds'])('accepts 1,000 %s', async (field) => {
    const organizationId = await organizationWith([]);
    const ids = Array.from({ length: 1000 }, (_, index) => `id${index}`);
    const answer = await ask({ organizationId, userIds: ['u'], [field]: ids });
    expect(answer.status).toBe(field === 'userIds' ? 200 : 404);
  });
});

describe('an access type', () => {
  it('comes from the nearest folder that has one, through nested folders', async () => {
    const organizationId = await organizationWith([
      { folderId: 'private', accessType: 'organizationPrivate' },
      { folderId: 'inherits', parentFolderId: 'private' },
      { folderId: 'inherits too', parentFolderId: 'inherits' },
      { folderId: 'closed', parentFolderId: 'inherits too', accessType: 'restricted' },
      { folderId: 'inherits closed', parentFolderId: 'closed' },
      { folderId: 'open', parentFolderId: 'inherits closed', accessType: 'public' },
    ]);
    const expected = {
      private: 'organizationPrivate',
      inherits: 'organizationPrivate',
      'inherits too': 'organizationPrivate',
      closed: 'restricted',
      'inherits closed': 'restricted',
      open: 'public',
    };
    const folderIds = Object.keys(expected);
    const documentIds = folderIds.map((folderId) => `in ${folderId}`);
    const { x } = await get({ organizationId, userIds: ['x'], folderIds, documentIds });
    for (const [folderId, accessType] of Object.entries(expected)) {
      expect(x.folders[folderId].accessType, folderId).toBe(accessType);
      expect(x.documents[`in ${folderId}`].accessType, folderId).toBe(accessType);
    }
  });
});

describe('the deciding grant', () => {
  const NESTED = [
    { folderId: 'top', accessType: 'restricted' },
    { folderId: 'middle', parentFolderId: 'top' },
    { folderId: 'bottom', parentFolderId: 'middle' },
    { folderId: 'beside', parentFolderId: 'top' },
  ];
  const roleOf = (entry: { accessRole?: string }) => entry.accessRole ?? 'denied';

  it('on a folder applies to everything below it, and to nothing else', async () => {
    const organizationId = await organizationWith(NESTED);
    const userId = await userWith(organizationId, { type: 'folder', id: 'middle' });
    const folderIds = NESTED.map(({ folderId }) => folderId);
    const documentIds = folderIds.map((folderId) => `in ${folderId}`);
    const { [userId]: entry } = await get({
      organizationId,
      userIds: [userId],
      folderIds,
      documentIds,
    });
    const expected = { top: 'denied', middle: 'editor', bottom: 'editor', beside: 'denied' };
    for (const [folderId, role] of Object.entries(expected)) {
      expect(roleOf(entry.folders[folderId]), folderId).toBe(role);
      expect(roleOf(entry.documents[`in ${folderId}`]), folderId).toBe(role);
    }
  });

  it('belongs to the resource type: folders and documents of the same id are distinct', async () => {
    const same = { folderId: 'same', documentId: 'same', accessType: 'restricted' };
    const organizationId = await organizationWith([same], [same]);
    const grant = { type: 'document', id: 'same', accessRole: 'viewer' } as const;
    const userId = await userWith(organizationId, grant);
    const query = { organizationId, userIds: [userId], folderIds: ['same'], documentIds: ['same'] };
    const { folders, documents } = (await get(query))[userId];
    expect([roleOf(folders.same), roleOf(documents.same)]).toEqual(['denied', 'viewer']);
  });

  it('belongs to the organization: the same ids in another one have no effect', async () => {
    const folders = [{ folderId: 'f', accessType: 'restricted' }];
    const [here, there] = [await organizationWith(folders), await organizationWith(folders)];
    const userId = await userWith(
      there,
      { type: 'folder', id: 'f' },
      { type: 'organization', id: there },
    );
    const query = { organizationId: here, userIds: [userId], folderIds: ['f'] };
    const entry = (await get(query))[userId];
    expect(entry.organization[here]).toEqual(denied('organizationPrivate'));
    expect(entry.folders.f).toEqual(denied('restricted'));
  });
});

describe('a grant that expires', () => {
  const kinds = ['organization', 'folder', 'document'] as const;

  it.each(kinds)('on the %s returns its expiry, and is active until that second', async (type) => {
    const organizationId = await organizationWith([
      { folderId: 'f', accessType: type === 'organization' ? 'organizationPrivate' : 'restricted' },
    ]);
    const id = { organization: organizationId, folder: 'f', document: 'in f' }[type];
    const expiresAt = now + 60;
    const userId = await userWith(organizationId, { type, id, expiresAt });
    const query = { organizationId, userIds: [userId], documentIds: ['in f'] };
    const entry = async () => (await get(query))[userId].documents['in f'];
    now = expiresAt - 1;
    expect(await entry()).toMatchObject({ accessRole: 'editor', expiresAt });
    now = expiresAt;
    expect(await entry()).toMatchObject({ errorCode: 'permission_denied' });
    expect(await entry()).not.toHaveProperty('expiresAt');
  });

  it('takes its context with it', async () => {
    const organizationId = await organizationWith([]);
    const expiresAt = now + 60;
    const context = { access: { team: ['red'] } };
    const grant = { type: 'organization', id: organizationId, expiresAt, context } as const;
    const userId = await userWith(organizationId, grant);
    const query = { organizationId, userIds: [userId] };
    expect((await get(query))[userId].context).toEqual({ accessFields: ['team:red'] });
    now = expiresAt;
    expect((await get(query))[userId]).not.toHaveProperty('context');
  });
});

describe('the access context', () => {
  it("lists the user's own values as field:value, sorted, without duplicates", async () => {
    const organizationId = await organizationWith([{ folderId: 'f' }]);
    const onOrganization = { type: 'organization', id: organizationId } as const;
    const holder = await userWith(
      organizationId,
      {
        ...onOrganization,
        context: { access: { team: ['red', 'blue'], constructor: ['x'], a: ['b:c'] } },
      },
      { type: 'folder', id: 'f', context: { access: { team: ['green', 'red'] } } },
    );
    const other = await userWith(organizationId, onOrganization);
    const answer = await get({ organizationId, userIds: [holder, other], folderIds: ['f'] });
    expect(answer[holder].context).toEqual({
      accessFields: ['a:b:c', 'constructor:x', 'team:blue', 'team:green', 'team:red'],
    });
    expect(answer[other]).not.toHaveProperty('context');
  });
});

describe('a missing resource', () => {
  const user = { userIds: ['x', 'y'] };

  it('is NOT_FOUND for the organization and everything in it', async () => {
    const organizationId = fresh('org');
    const answer = await ask({ organizationId, ...user, folderIds: ['f'], documentIds: ['d'] });
    const entry = {
      organization: { [organizationId]: missing },
      folders: { f: missing },
      documents: { d: missing },
    };
    expect(answer.body.error).toEqual({
      ...{ status: 'NOT_FOUND', code: 404, message: 'Organization does not exist.' },
      details: { x: entry, y: entry },
    });
  });

  it.each(['folder', 'document'])(
    'is NOT_FOUND for a %s, beside the existing ones',
    async (kind) => {
      const there = { folderId: 'there', documentId: 'there' };
      const theirs = { folderId: 'theirs', documentId: 'theirs' };
      await organizationWith([theirs], [theirs]);
      const organizationId = await organizationWith([there], [there]);
      const answer = await ask({ organizationId, ...user, [`${kind}Ids`]: ['there', 'theirs'] });
      const entry = {
        organization: { [organizationId]: denied('organizationPrivate') },
        [`${kind}s`]: { there: { accessRole: 'viewer', accessType: 'public' }, theirs: missing },
      };
      expect(answer.body.error).toEqual({
        ...{ status: 'NOT_FOUND', code: 404 },
        message: expect.stringMatching(new RegExp(`^${kind} does not exist`, 'i')),
        details: { x: entry, y: entry },
      });
    },
  );
});

describe('a call for too many entries', () => {
  it('is refused', async () => {
    const ids = Array.from({ length: 400 }, (_, n) => `id-${n}`);
    const query = { organizationId: 'acme', userIds: ids, folderIds: ids, documentIds: ids };
    expect(failureOf(await ask(query)).status).toBe('INVALID_ARGUMENT');
  });
});
