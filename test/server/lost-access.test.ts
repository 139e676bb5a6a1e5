import { describe, expect, inject, it } from 'vitest';
import type { Database } from '../../src/platform/database/database.ts';
import { annotationsOf, type Place, userHeaders } from '../support/annotations.ts';
import { failureOf, fresh, type Headers } from '../support/answers.ts';
import { organize } from '../support/directory.ts';
import { connect, type Editor, openEditor } from '../support/editors.ts';
import { eventually, SOON_MS } from '../support/eventually.ts';
import { createTenant, startTestServer } from '../support/server.ts';
import { watchStatements } from '../support/statements.ts';
import { type Subscription, subscribe } from '../support/subscriptions.ts';
import { createWorkspace } from '../support/workspaces.ts';

const TOKEN_LIFE_MS = 48 * 60 * 60_000;
const DENIED = 'PERMISSION_DENIED';

/** The clock of both processes. */
const clock = { time: Date.UTC(2027, 0, 5, 9), now: () => clock.time };
let lookups = 0;
const onDatabase = ({ pool }: Database) =>
  watchStatements(pool, (text) => {
    if (text.includes('/* credentials */')) lookups++;
  });
/** The services tests run with Redis. Without it, a process gets every change through the database alone. */
const redisUrl = inject('redisUrl');
const environment: Record<string, string> = redisUrl ? { REDIS_URL: redisUrl } : {};
const one = await startTestServer(environment, { clock, onDatabase });
const two = await startTestServer({ ...environment, DATABASE_URL: one.databaseUrl }, { clock });
const servers = [one, two];

/** The key, the document and the user of each test. */
let key: Headers;
let place: Place;
let ada: string;

const call = (path: string, data: object) => one.ok(path, data, key);
const ofOrganization = (path: string, data: object) =>
  call(path, { organizationId: place.organizationId, ...data });

const onFolder = () => ({ type: 'folder', id: 'folder', organizationId: place.organizationId });

/** A user with a role on the folder of a restricted document. */
async function visitor(grant: object = {}): Promise<Headers> {
  key = await createTenant(one);
  place = annotationsOf(one).place();
  ada = fresh('ada');
  const folders = ['folder', 'secret'].map((folderId) => ({ folderId, accessType: 'restricted' }));
  const documents = [{ documentId: place.documentId, folderId: 'folder' }];
  await organize(one, place.organizationId, { folders, documents }, key);
  return userHeaders(one, ada, [{ ...onFolder(), ...grant }], key);
}

const tokenOf = ({ authorization = '' }: Headers) => authorization.slice('Bearer '.length);
const nameOf = ({ organizationId, documentId }: Place) => `${organizationId}/${documentId}/body`;

interface Opened {
  editors: Editor[];
  comments: Subscription[];
  presence: Subscription[];
  inboxes: Subscription[];
}

/** Opens everything that a user may have open, at both processes. */
async function openAll(headers: Headers, at = place): Promise<Opened> {
  const opened: Opened = { editors: [], comments: [], presence: [], inboxes: [] };
  const { organizationId } = at;
  for (const { url } of servers) {
    opened.editors.push(await openEditor({ url, name: nameOf(at), token: tokenOf(headers) }));
    opened.comments.push(await subscribe(url, headers, 'comments', at));
    opened.presence.push(await subscribe(url, headers, 'presence', at));
    opened.inboxes.push(await subscribe(url, headers, 'notifications', { organizationId }));
  }
  return opened;
}

const expectClosed = (editors: Editor[], reason: string) =>
  eventually(() => {
    for (const { refusals } of editors) expect(refusals[0]).toBe(reason);
  }, SOON_MS);

/** Waits until the streams ended within a second, with this failure and for good. */
const expectEnds = (streams: Subscription[], status: string, reason?: string) =>
  eventually(() => {
    for (const { failure, starts } of streams) {
      expect(failure?.data?.status).toBe(status);
      if (reason) expect(failure?.data?.details).toEqual({ reason });
      expect(starts).toBe(1);
    }
  }, SOON_MS);

function expectAllOpen({ editors, ...streams }: Opened): void {
  expect(editors.flatMap(({ refusals }) => refusals)).toEqual([]);
  expect(
    Object.values(streams)
      .flat()
      .filter(({ failure }) => failure),
  ).toEqual([]);
}

/** Expects that both processes refuse calls and new connections with the token, for this reason. */
async function expectRefusedAnew(headers: Headers, reason: string): Promise<void> {
  for (const server of servers) {
    const refused = { http: 403, status: DENIED, reason };
    const called = await server.call('/v2/presence/get', place, headers);
    expect(failureOf(called)).toEqual(refused);
    const late = connect({ url: server.url, name: nameOf(place), token: tokenOf(headers) });
    await eventually(() => expect(late.refusals).toEqual([reason]));
    const stream = await subscribe(server.url, headers, 'comments', place);
    expect(stream.failure?.data?.details).toEqual({ reason });
  }
}

const ofWorkspace = (path: string, more: object = {}) =>
  one.ok(path, { apiKey: key['x-svc-api-key'], ...more }, one.workspaceHeaders);
const setDisabled = (disabled: boolean) => ofWorkspace('/v2/workspace/apikey/update', { disabled });

const takePermission = () => {
  const permissions = { resources: [onFolder()] };
  return call('/v2/auth/permissions/remove', { user: { userId: ada }, permissions });
};
const moveDocument = () => {
  const moved = { folderId: 'secret', documents: [{ documentId: place.documentId }] };
  return ofOrganization('/v2/organizations/documents/move', moved);
};
const deleteDocument = () =>
  ofOrganization('/v2/organizations/documents/delete', { documentIds: [place.documentId] });
const deleteFolder = () =>
  ofOrganization('/v2/organizations/folders/delete', { folderId: 'folder' });
const deleteOrganization = () =>
  call('/v2/organizations/delete', { organizationIds: [place.organizationId] });

const endToken = async () => {
  clock.time += TOKEN_LIFE_MS;
};
const deleteUser = () => ofOrganization('/v2/users/delete', { userIds: [ada] });
const eraseUser = () => call('/v2/users/data/delete', { userIds: [ada] });
const revokeTokens = () => call('/v2/auth/revoke_tokens', { userIds: [ada] });
const resetToken = () => ofWorkspace('/v2/workspace/authtoken/reset');
const disableKey = () => setDisabled(true);

/** A public document in another organization. */
async function publicPlace(): Promise<Place> {
  const other = annotationsOf(one).place();
  const documents = [{ documentId: other.documentId, accessType: 'public' }];
  await organize(one, other.organizationId, { documents }, key);
  return other;
}

/** Adds an annotation, which every stream of comments must receive. */
async function expectNews({ comments }: Opened): Promise<void> {
  const annotationId = fresh('annotation');
  await annotationsOf(one, key).add(place, [{ annotationId }]);
  await eventually(() => {
    for (const { items } of comments)
      expect(items.at(-1)?.data.data.annotationId).toBe(annotationId);
  });
}

describe('at every process, within a second, a user loses', () => {
  it.each([
    ['the permission is taken', DENIED, takePermission],
    ['the document moves out of the access of the user', DENIED, moveDocument],
    ['the document is deleted', 'NOT_FOUND', deleteDocument],
    ['the folder is deleted', 'NOT_FOUND', deleteFolder],
    ['the organization is deleted', 'NOT_FOUND', deleteOrganization],
  ])('all that is open on the document when %s (%s)', async (_what, reason, change) => {
    const { editors, comments, presence } = await openAll(await visitor());
    await change();
    await expectClosed(editors, reason);
    await expectEnds([...comments, ...presence], DENIED);
  });

  it('all that is open on the document when the role expires, and not before', async () => {
    const own = await visitor({ expiresAt: clock.time / 1_000 + 60 });
    const opened = await openAll(own);
    clock.time += 59_000;
    await expectNews(opened);
    expectAllOpen(opened);
    clock.time += 1_000;
    await expectClosed(opened.editors, DENIED);
    await expectEnds([...opened.comments, ...opened.presence], DENIED);
  });

  it.each([
    ['the token ends', 'TOKEN_EXPIRED', endToken],
    ['the user is deleted', 'TOKEN_REVOKED', deleteUser],
    ['the user is erased', 'TOKEN_REVOKED', eraseUser],
    ['the tokens of the user are revoked', 'TOKEN_REVOKED', revokeTokens],
    ['the auth token of the key is reset', 'TOKEN_REVOKED', resetToken],
    ['the key is disabled', 'API_KEY_DISABLED', disableKey],
  ])('all that is open, and the token, when %s (%s)', async (_what, reason, change) => {
    const own = await visitor();
    const { editors, comments, presence, inboxes } = await openAll(own);
    for (const server of servers) await server.ok('/v2/presence/get', place, own);
    await change();
    expect((await one.call('/v2/presence/get', place, own)).status).toBe(403);
    await expectClosed(editors, reason);
    await expectEnds([...comments, ...presence, ...inboxes], DENIED, reason);
    await expectRefusedAnew(own, reason);
  });

  it('all that is open on a public document of another organization, when the user is deleted', async () => {
    const own = await visitor();
    const { editors, comments, presence } = await openAll(own, await publicPlace());
    await deleteUser();
    await expectClosed(editors, 'TOKEN_REVOKED');
    await expectEnds([...comments, ...presence], DENIED, 'TOKEN_REVOKED');
  });

  it('the streams of a document for good, although another was created in its place', async () => {
    const { comments, presence } = await openAll(await visitor());
    await deleteDocument();
    const documents = [{ documentId: place.documentId, accessType: 'public' }];
    await ofOrganization('/v2/organizations/documents/add', { documents });
    await expectEnds([...comments, ...presence], DENIED);
  });
});

describe('a user keeps what is open', () => {
  it('when another user loses the permission, the tokens or the membership', async () => {
    await visitor();
    const opened = await openAll(await userHeaders(one, fresh('grace'), [onFolder()], key));
    for (const change of [takePermission, revokeTokens, deleteUser]) {
      const theirs = await openAll(await userHeaders(one, ada, [onFolder()], key));
      await change();
      await expectEnds(theirs.comments, DENIED);
      await expectNews(opened);
      expectAllOpen(opened);
    }
  });

  it('with a later token when an earlier one ends', async () => {
    const own = await visitor();
    clock.time += TOKEN_LIFE_MS - 10_000;
    const opened = await openAll(await userHeaders(one, ada, [], key));
    const { editors } = await openAll(own);
    clock.time += 10_000;
    await expectClosed(editors, 'TOKEN_EXPIRED');
    await expectNews(opened);
    expectAllOpen(opened);
  });

  it('when the auth token of another key is reset', async () => {
    const opened = await openAll(await visitor());
    const theirs = await openAll(await visitor());
    await resetToken();
    await expectClosed(theirs.editors, 'TOKEN_REVOKED');
    expectAllOpen(opened);
  });

  it('in one organization when the user is deleted from another', async () => {
    const own = await visitor();
    const other = await publicPlace();
    const users = [{ userId: ada }];
    await call('/v1/users/add', { organizationId: other.organizationId, users });
    const home = await openAll(own);
    const opened = await openAll(own, other);
    await deleteUser();
    await expectClosed(home.editors, DENIED);
    for (const { text } of opened.editors) text.insert(0, 'x');
    for (const { sent } of opened.editors) await sent();
    expectAllOpen(opened);
  });
});

describe('a user may open everything again', () => {
  const useNewToken = async () => {
    key = { ...key, 'x-svc-auth-token': (await resetToken()).newAuthToken.token };
  };

  // The clock stands still, so the new token has the same second as the old one.
  it.each([
    ['the tokens of the user were revoked', revokeTokens],
    ['the auth token of the key was reset', useNewToken],
    ['the user was deleted, and is added again', deleteUser],
  ])('with a new token after %s, while the old one stays revoked', async (_what, change) => {
    const own = await visitor();
    await change();
    const again = await userHeaders(one, ada, [onFolder()], key);
    expectAllOpen(await openAll(again));
    await expectRefusedAnew(own, 'TOKEN_REVOKED');
  });

  it('with the same token after the key was disabled and is enabled', async () => {
    const own = await visitor();
    await disableKey();
    await expectRefusedAnew(own, 'API_KEY_DISABLED');
    await setDisabled(false);
    expectAllOpen(await openAll(own));
  });
});

describe('at every process, within a second, an API key loses', () => {
  const addDomain = () => call('/v2/workspace/domains/add', { domains: ['example.com'] });

  it.each([
    ['it is disabled', 'API_KEY_DISABLED', disableKey],
    ['its auth token is reset', undefined, resetToken],
    ['a domain is added that the caller does not come from', undefined, addDomain],
  ])('all that is open, and its calls, when %s', async (_what, reason, change) => {
    await visitor();
    const own = { ...key, origin: 'https://elsewhere.example.org' };
    const { organizationId } = place;
    const streams: Subscription[] = [];
    for (const server of servers) {
      streams.push(await subscribe(server.url, own, 'comments', place));
      streams.push(await subscribe(server.url, own, 'presence', place));
      const inbox = { organizationId, userId: ada };
      streams.push(await subscribe(server.url, own, 'notifications', inbox));
      await server.ok('/v2/presence/get', place, own);
    }
    await change();
    expect((await one.call('/v2/presence/get', place, own)).status).toBe(403);
    await expectEnds(streams, DENIED, reason);
    expect((await two.call('/v2/presence/get', place, own)).status).toBe(403);
    const again = await subscribe(two.url, own, 'comments', place);
    expect(again.failure?.data?.status).toBe(DENIED);
  });

  it('the streams of a deleted document, which is named', async () => {
    await visitor();
    const stream = await subscribe(two.url, key, 'comments', place);
    await deleteDocument();
    await expectEnds([stream], 'INVALID_ARGUMENT', 'document_not_found');
  });
});

it('a workspace loses its auth token at every process at once when it is reset', async () => {
  const used = await createWorkspace(one);
  for (const server of servers) await server.ok('/v2/workspace/get', {}, used);
  await one.ok('/v2/workspace/token/reset', {}, used);
  for (const server of servers) {
    await eventually(async () => {
      expect((await server.call('/v2/workspace/get', {}, used)).status).toBe(403);
    }, SOON_MS);
  }
});

it('credentials are not looked up for each call of a burst', async () => {
  await visitor();
  const before = lookups;
  await Promise.all(Array.from({ length: 20 }, () => call('/v2/presence/get', place)));
  expect(lookups - before).toBeLessThan(5);
});
