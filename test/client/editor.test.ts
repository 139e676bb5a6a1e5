import { beforeAll, expect, it, onTestFinished } from 'vitest';
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

/** The client of a person in the organization. */
function clientOf(userId: string): CollaborationClient {
  const resources = [{ type: 'organization' as const, id: 'acme' }];
  return createClient({
    url: server.url,
    token: () => app.auth.generateToken({ userId, permissions: { resources } }),
  });
}

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
