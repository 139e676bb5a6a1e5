import { beforeAll, expect, it, onTestFinished } from 'vitest';
import { signUserToken, verifyUserToken } from '../../src/api/credentials/user-tokens.ts';
import { connectEditor } from '../../src/client/editor.ts';
import { type CollaborationClient, createClient } from '../../src/client/index.ts';
import { createServerClient } from '../../src/client/server.ts';
import { eventually } from '../support/eventually.ts';
import { startTestServer, type TestServer } from '../support/server.ts';

const place = { organizationId: 'acme', documentId: 'plan', editorId: 'body' };

let server: TestServer;
let app: CollaborationClient;
beforeAll(async () => {
  server = await startTestServer();
  const { url } = server;
  const { apiKey, authToken } = server.quickstart;
  app = createServerClient({ url, apiKey, authToken });
  await app.organizations.add({ organizations: [{ organizationId: 'acme' }] });
  await app.documents.add({
    organizationId: 'acme',
    documents: [{ documentId: 'plan' }, { documentId: 'secret', accessType: 'restricted' }],
  });
});

function tokenOf(userId: string) {
  const resources = [{ type: 'organization' as const, id: 'acme' }];
  return app.auth.generateToken({ userId, permissions: { resources } });
}

/** The client of a person in the organization. */
const clientOf = (userId: string): CollaborationClient =>
  createClient({ url: server.url, token: () => tokenOf(userId) });

function open(client: CollaborationClient, documentId = 'plan') {
  const user = { name: 'Ada', color: '#aa0000' };
  const editor = connectEditor(client, { ...place, documentId, user });
  onTestFinished(() => editor.destroy());
  return editor;
}

it('edits with others, and knows when its edits are stored', async () => {
  const [ada, bea] = [open(clientOf('ada')), open(clientOf('bea'))];
  await eventually(() => expect([ada.status, bea.status]).toEqual(['synced', 'synced']));
  ada.document.getText('content').insert(0, 'Hello');
  expect(ada.hasUnsyncedChanges).toBe(true);
  await eventually(() => expect(`${bea.document.getText('content')}`).toBe('Hello'));
  await eventually(() => expect(ada.hasUnsyncedChanges).toBe(false));
});

it('is refused with the reason, beside another document on the same socket', async () => {
  const client = clientOf('stranger');
  const [allowed, refused] = [open(client), open(client, 'secret')];
  await eventually(() => expect(refused.status).toBe('refused'));
  expect(refused.error).toBeTruthy();
  await eventually(() => expect(allowed.status).toBe('synced'));
});

it('goes on with a new token when the old one has ended, without having been asked for one', async () => {
  const { secrets, clock } = server.app.services;
  const almostOver = { now: () => clock.now() - 48 * 60 * 60_000 + 2_500 };
  const { token: fresh } = await tokenOf('ada');
  const caller = await verifyUserToken(secrets, clock, fresh);
  const ending = await signUserToken(secrets, almostOver, caller);
  const tokens = [ending];
  const ada = open(createClient({ url: server.url, token: () => tokens.shift() ?? fresh }));
  const statuses: string[] = [];
  ada.subscribe(() => statuses.at(-1) !== ada.status && statuses.push(ada.status));
  await eventually(() =>
    expect(statuses).toEqual(['connecting', 'synced', 'connecting', 'synced']),
  );
  const bea = open(clientOf('bea'));
  await eventually(() => expect(bea.status).toBe('synced'));
  ada.document.getText('content').insert(0, 'Still here. ');
  await eventually(() => expect(`${bea.document.getText('content')}`).toContain('Still here.'));
  await eventually(() => expect(ada.hasUnsyncedChanges).toBe(false));
});

it('says that it is refused when the access of its user ends', async () => {
  const { token } = await tokenOf('cleo');
  const cleo = open(createClient({ url: server.url, token }));
  await eventually(() => expect(cleo.status).toBe('synced'));
  await app.users.delete({ organizationId: 'acme', userIds: ['cleo'] });
  await eventually(() => expect(cleo.status).toBe('refused'));
  expect(cleo.error).toBeTruthy();
});
