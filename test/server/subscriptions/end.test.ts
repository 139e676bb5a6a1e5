import { describe, expect, it } from 'vitest';
import { MAX_STREAMS } from '../../../src/api/subscriptions/open-streams.ts';
import { annotationsOf, type Place, userHeaders } from '../../support/annotations.ts';
import { fresh, type Headers } from '../../support/answers.ts';
import { organize } from '../../support/directory.ts';
import { eventually, SOON_MS } from '../../support/eventually.ts';
import { scrape } from '../../support/scrape.ts';
import { createTenant, startTestServer } from '../../support/server.ts';
import { type Subscription, subscribe } from '../../support/subscriptions.ts';

const clock = { time: Date.UTC(2027, 0, 5, 9), now: () => clock.time };
let headers: Headers;
let place: Place;
let ada: string;
const server = await startTestServer({}, { clock });
/** Another process, which gets every change through the database alone. */
const other = await startTestServer({ DATABASE_URL: server.databaseUrl }, { clock });

const call = (path: string, data: object, own = headers) => server.ok(path, data, own);

/** A restricted document in a folder, which a user may see. */
async function visitor(grant: object = {}): Promise<Headers> {
  headers = await createTenant(server);
  place = annotationsOf(server).place();
  ada = fresh('ada');
  const { organizationId, documentId } = place;
  const folders = [{ folderId: 'folder', folderName: 'Folder', accessType: 'restricted' }];
  const documents = [{ documentId, folderId: 'folder' }];
  await organize(server, organizationId, { folders, documents }, headers);
  const resource = { type: 'folder', id: 'folder', organizationId, ...grant };
  return userHeaders(server, ada, [resource], headers);
}

/** Waits until the subscription ended within a second, with this failure and for good. */
async function expectEnd(
  seen: Subscription,
  status = 'PERMISSION_DENIED',
  reason?: string,
): Promise<void> {
  await eventually(() => expect(seen.failure).toBeDefined(), SOON_MS);
  expect(seen.failure?.data?.status).toBe(status);
  if (reason) expect(seen.failure?.data?.details).toEqual({ reason });
  expect(seen.starts).toBe(1);
}

const ofWorkspace = (path: string, more: object = {}) =>
  call(path, { apiKey: headers['x-svc-api-key'], ...more }, server.workspaceHeaders);
const resetToken = () => ofWorkspace('/v2/workspace/authtoken/reset');
const disableKey = () => ofWorkspace('/v2/workspace/apikey/update', { disabled: true });

const permission = () => ({
  user: { userId: ada },
  permissions: {
    resources: [{ type: 'folder', id: 'folder', organizationId: place.organizationId }],
  },
});

const ofOrganization = (path: string, data: object) =>
  call(path, { organizationId: place.organizationId, ...data });
const deleteDocument = () =>
  ofOrganization('/v2/organizations/documents/delete', { documentIds: [place.documentId] });

const WAYS: Record<string, () => Promise<unknown>> = {
  'the permission is taken': () => call('/v2/auth/permissions/remove', permission()),
  'the document is deleted': deleteDocument,
  'the folder is deleted': () =>
    ofOrganization('/v2/organizations/folders/delete', { folderId: 'folder' }),
  'the organization is deleted': () =>
    call('/v2/organizations/delete', { organizationIds: [place.organizationId] }),
};

describe('a subscription whose subscriber loses access', () => {
  describe.each(Object.entries(WAYS))('because %s', (_what, end) => {
    it.each(['comments', 'presence'] as const)(
      'ends in every process: %s.changes',
      async (name) => {
        const own = await visitor();
        const all = [
          await subscribe(server.url, own, name, place),
          await subscribe(other.url, own, name, place),
        ];
        await end();
        await Promise.all(all.map((seen) => expectEnd(seen)));
      },
    );
  });

  it('because the grant expires ends on time, and not before', async () => {
    const own = await visitor({ expiresAt: clock.time / 1000 + 60 });
    const seen = await subscribe(server.url, own, 'comments', place);
    clock.time += 59_000;
    await annotationsOf(server, headers).add(place, [{ annotationId: fresh('annotation') }]);
    await eventually(() => expect(seen.items).toHaveLength(1));
    clock.time += 1_000;
    await expectEnd(seen);
  });

  it('ends although another document was created in its place', async () => {
    const own = await visitor();
    const seen = await subscribe(server.url, own, 'comments', place);
    await deleteDocument();
    const documents = [{ documentId: place.documentId, accessType: 'public' }];
    await ofOrganization('/v2/organizations/documents/add', { documents });
    await expectEnd(seen);
  });

  const endToken = async () => {
    clock.time += 48 * 60 * 60_000;
  };
  const deleteUser = () => ofOrganization('/v2/users/delete', { userIds: [ada] });
  const revokeTokens = () => call('/v2/auth/revoke_tokens', { userIds: [ada] });

  it.each([
    ['the token ends', 'TOKEN_EXPIRED', endToken],
    ['the user is deleted', 'TOKEN_REVOKED', deleteUser],
    ['the tokens of the key are reset', 'TOKEN_REVOKED', resetToken],
    ['the tokens of the user are revoked', 'TOKEN_REVOKED', revokeTokens],
    ['the key is disabled', 'API_KEY_DISABLED', disableKey],
  ])('because %s ends with all others of the user: %s', async (_what, reason, end) => {
    const own = await visitor();
    const { organizationId } = place;
    const all = [
      await subscribe(server.url, own, 'comments', place),
      await subscribe(other.url, own, 'comments', place),
      await subscribe(other.url, own, 'presence', place),
      await subscribe(server.url, own, 'notifications', { organizationId }),
    ];
    await end();
    await Promise.all(all.map((seen) => expectEnd(seen, 'PERMISSION_DENIED', reason)));
    const again = await subscribe(server.url, own, 'comments', place);
    expect(again.failure?.data?.details).toEqual({ reason });
  });

  it.each([
    ['its key is disabled', 'API_KEY_DISABLED', disableKey],
    ['its auth token is reset', undefined, resetToken],
  ])('ends all that an API key opened when %s', async (_what, reason, end) => {
    await visitor();
    const { organizationId } = place;
    const all = [
      await subscribe(server.url, headers, 'comments', place),
      await subscribe(other.url, headers, 'notifications', { organizationId, userId: 'ada' }),
      await subscribe(other.url, headers, 'presence', place),
    ];
    await end();
    await Promise.all(all.map((seen) => expectEnd(seen, 'PERMISSION_DENIED', reason)));
  });

  it('because the document was deleted names the missing document to an API key', async () => {
    await visitor();
    const seen = await subscribe(server.url, headers, 'comments', place);
    await deleteDocument();
    await expectEnd(seen, 'INVALID_ARGUMENT');
    expect(seen.failure?.data?.details).toEqual({ reason: 'document_not_found' });
  });

  it('does not end the subscriptions of others', async () => {
    await visitor();
    const { organizationId } = place;
    const resource = { type: 'folder', id: 'folder', organizationId };
    const grace = await userHeaders(server, 'grace', [resource], headers);
    const seen = await subscribe(server.url, grace, 'comments', place);
    await WAYS['the permission is taken']?.();
    await annotationsOf(server, headers).add(place, [{ annotationId: fresh('annotation') }]);
    await eventually(() => expect(seen.items).toHaveLength(1));
    expect(seen.failure).toBeUndefined();
  });
});

describe('too many subscriptions', () => {
  it('of one user are refused until one is closed, while other users may open theirs', async () => {
    const own = await visitor();
    const all: Subscription[] = [];
    while (all.length < MAX_STREAMS.user) {
      const five = Array.from({ length: 5 }, () => subscribe(server.url, own, 'comments', place));
      all.push(...(await Promise.all(five)));
    }
    expect(all.filter(({ failure }) => failure)).toEqual([]);
    const refused = await subscribe(server.url, own, 'comments', place);
    await expectEnd({ ...refused, starts: 1 }, 'RESOURCE_EXHAUSTED');
    const ofKey = await subscribe(server.url, headers, 'comments', place);
    expect(ofKey.failure).toBeUndefined();
    all[0]?.close();
    await eventually(async () => {
      const again = await subscribe(server.url, own, 'comments', place);
      expect(again.failure).toBeUndefined();
    });
  });

  it('are counted in the metrics', async () => {
    const own = await visitor();
    const gauge = async () => (await scrape(other.url)).get('open_subscriptions');
    await eventually(async () => expect(await gauge()).toBe(0));
    const seen = await subscribe(other.url, own, 'comments', place);
    expect(await gauge()).toBe(1);
    seen.close();
    await eventually(async () => expect(await gauge()).toBe(0));
  });
});
