import { expect, it, vi } from 'vitest';
import { signUserToken, verifyUserToken } from '../../src/api/credentials/user-tokens.ts';
import { connectEditor } from '../../src/client/editor.ts';
import { REFUSED_RETRY_MS } from '../../src/client/follow.ts';
import { type CollaborationClient, createClient } from '../../src/client/index.ts';
import { createServerClient } from '../../src/client/server.ts';
import { transportOf } from '../../src/client/transport.ts';
import { Secrets } from '../../src/platform/secrets.ts';
import { eventually, SOON_MS } from '../support/eventually.ts';
import { createNetwork } from '../support/network.ts';
import { serverProcess } from '../support/processes.ts';
import { createDatabase, SHARED_SECRET_KEY } from '../support/server.ts';
import { whenTestEnds } from '../support/when-file-ends.ts';

const place = { organizationId: 'acme', documentId: 'plan', editorId: 'body' };
// A process of its own, since some tests hold the timers of this one.
const server = await serverProcess({ DATABASE_URL: await createDatabase() });
await server.start();
const { 'x-svc-api-key': apiKey = '', 'x-svc-auth-token': authToken = '' } =
  await server.keyHeaders();
const app = createServerClient({ url: server.url, apiKey, authToken });
await app.documents.add({
  ...{ organizationId: 'acme', createOrganization: true },
  documents: [
    ...[{ documentId: 'plan' }, { documentId: 'other' }],
    { documentId: 'secret', accessType: 'restricted' },
  ],
});

function tokenOf(userId: string) {
  const resources = [{ type: 'organization' as const, id: 'acme' }];
  return app.auth.generateToken({ userId, permissions: { resources } });
}

/** The client of a person in the organization. */
const clientOf = (userId: string): CollaborationClient =>
  createClient({ url: server.url, token: () => tokenOf(userId) });

/** The keys of the server's tokens. */
const secrets = new Secrets(Buffer.from(SHARED_SECRET_KEY, 'base64'));

/** A token of Ada that ends in 2.5 s, and one that does not. */
async function endingToken() {
  const almostOver = { now: () => Date.now() - 48 * 60 * 60_000 + 2_500 };
  const { token: fresh } = await tokenOf('ada');
  const caller = await verifyUserToken(secrets, Date, fresh);
  return { fresh, ending: await signUserToken(secrets, almostOver, caller) };
}

function open(client: CollaborationClient, documentId = 'plan') {
  const user = { name: 'Ada', color: '#aa0000' };
  const editor = connectEditor(client, { ...place, documentId, user });
  whenTestEnds(() => editor.destroy());
  return editor;
}

it('an editor edits with others, and knows when its edits are stored', async () => {
  const [ada, bea] = [open(clientOf('ada')), open(clientOf('bea'))];
  await eventually(() => expect([ada.status, bea.status]).toEqual(['synced', 'synced']));
  ada.document.getText('content').insert(0, 'Hello');
  expect(ada.hasUnsyncedChanges).toBe(true);
  await eventually(() => expect(`${bea.document.getText('content')}`).toMatch(/^Hello/));
  await eventually(() => expect(ada.hasUnsyncedChanges).toBe(false));
});

it('an editor is read-only until its content has arrived', async () => {
  await app.crdt.add({ ...place, editorId: 'long', type: 'text', data: 'Content' });
  const editor = connectEditor(clientOf('ada'), { ...place, editorId: 'long' });
  whenTestEnds(() => editor.destroy());
  const seen: string[] = [];
  editor.subscribe(() => editor.canWrite && seen.push(`${editor.document.getText('content')}`));
  await eventually(() => expect(seen).not.toEqual([]));
  expect(seen[0]).toBe('Content');
});

it('an editor is open twice on one page, as in a preview beside the text, until each is destroyed', async () => {
  const client = clientOf('ada');
  const [text, preview] = [open(client), open(client)];
  await eventually(() => expect([text.status, preview.status]).toEqual(['synced', 'synced']));
  text.document.getText('content').insert(0, 'Twice. ');
  await eventually(() => expect(`${preview.document.getText('content')}`).toContain('Twice.'));
  preview.destroy();
  text.document.getText('content').insert(0, 'Once. ');
  await eventually(() => expect(text.hasUnsyncedChanges).toBe(false));
});

it('an editor is refused with the reason, beside another document on the same socket', async () => {
  const client = clientOf('stranger');
  const [allowed, refused] = [open(client), open(client, 'secret')];
  await eventually(() => expect(refused.status).toBe('refused'));
  expect(refused.error).toBeTruthy();
  await eventually(() => expect(allowed.status).toBe('synced'));
});

it('an editor continues with a new token when the old one has ended, although the server requested none', async () => {
  const { fresh, ending } = await endingToken();
  const tokens = [ending];
  const ada = open(createClient({ url: server.url, token: () => tokens.shift() ?? fresh }));
  const statuses: string[] = [];
  ada.subscribe(() => statuses.at(-1) !== ada.status && statuses.push(ada.status));
  await eventually(() =>
    expect(statuses).toEqual(['connecting', 'synced', 'connecting', 'synced']),
  );
  ada.document.getText('content').insert(0, 'Still here. ');
  expect(ada.hasUnsyncedChanges).toBe(true);
  await eventually(() => expect(ada.hasUnsyncedChanges).toBe(false));
});

const grant = (userId: string, accessRole: 'viewer' | 'editor') => {
  const document = { type: 'document' as const, id: 'plan', organizationId: 'acme', accessRole };
  return app.permissions.add({ user: { userId }, permissions: { resources: [document] } });
};

it('an editor knows whether its user may write, and has nothing to store while not', async () => {
  await app.users.add({ organizationId: 'acme', users: [{ userId: 'vera' }] });
  await grant('vera', 'viewer');
  const { token } = await app.auth.generateToken({ userId: 'vera' });
  const vera = open(createClient({ url: server.url, token }));
  expect(vera.canWrite).toBe(false);
  await eventually(() => expect(vera.status).toBe('synced'));
  expect(vera.canWrite).toBe(false);
  vera.document.getText('other').insert(0, 'Into nowhere');
  expect(vera.hasUnsyncedChanges).toBe(false);
  let said = 0;
  vera.subscribe(() => said++);
  await grant('vera', 'editor');
  await eventually(() => expect([vera.canWrite, said > 0]).toEqual([true, true]));
  await grant('vera', 'viewer');
  await eventually(() => expect(vera.canWrite).toBe(false));
});

it('an editor says in words for people that its user is signed out, and continues after the next sign-in', async () => {
  const answers: unknown[] = [{ error: 'Sign in first.' }];
  const token = () => (answers.shift() ?? tokenOf('ada')) as Promise<{ token: string }>;
  const client = createClient({ url: server.url, token });
  const ada = open(client);
  await eventually(() => expect(ada.status).toBe('signedOut'));
  expect(ada.error).toBe('You are signed out. Sign in to continue.');
  expect(client.connection.status).toBe('signedOut');
  client.connection.retry();
  await eventually(() => expect(ada.status).toBe('synced'));
  expect(client.connection.status).not.toBe('signedOut');
});

it('an editor whose user is signed out while it is open continues after the next sign-in', async () => {
  const { fresh, ending } = await endingToken();
  const answers = [ending];
  let later: unknown = { error: 'Sign in first.' };
  const token = async () => (answers.shift() ?? later) as string;
  const client = createClient({ url: server.url, token });
  const ada = open(client);
  await eventually(() => expect(ada.status).toBe('synced'));
  // Another part of the page notices first, before the server requests a token and closes the document.
  transportOf(client).discardToken('TOKEN_EXPIRED', ending);
  await eventually(() => expect(ada.status).toBe('signedOut'));
  later = fresh;
  client.connection.retry();
  await eventually(() => expect(ada.status).toBe('synced'));
});

it('an editor continues when the app that gives tokens is back', async () => {
  const failures = ['The network is down.'];
  const token = async () => {
    const failure = failures.shift();
    if (failure) throw new Error(failure);
    return tokenOf('ada');
  };
  const ada = open(createClient({ url: server.url, token }));
  const statuses: string[] = [];
  ada.subscribe(() => statuses.push(ada.status));
  await eventually(() => expect(ada.status).toBe('synced'));
  expect(statuses).not.toContain('refused');
});

it('an editor stays open for edits while the app has no new token for one that has ended', async () => {
  const { fresh, ending } = await endingToken();
  const answers = [ending, undefined];
  const token = async () => {
    const answer = answers.length > 0 ? answers.shift() : fresh;
    if (answer === undefined) throw new Error('The network is down.');
    return answer;
  };
  const ada = open(createClient({ url: server.url, token }));
  await eventually(() => expect(ada.status).toBe('synced'));
  const statuses: string[] = [];
  ada.subscribe(() => statuses.push(`${ada.status} ${ada.canWrite}`));
  await eventually(() => expect(statuses).toContain('offline true'));
  await eventually(() => expect(ada.status).toBe('synced'));
  expect(statuses.filter((each) => each.endsWith('false'))).toEqual([]);
});

/** A class of sockets that lists those that are opened. */
function listedSockets() {
  const opened: WebSocket[] = [];
  class ListedSocket extends WebSocket {
    constructor(url: string | URL, protocols?: string | string[]) {
      super(url, protocols);
      opened.push(this);
    }
  }
  return { opened, WebSocket: ListedSocket };
}

it('an editor opens no socket while its user is signed out, and one after the sign-in', async () => {
  const { opened, WebSocket } = listedSockets();
  let answer: unknown = { error: 'Sign in first.' };
  const token = async () => answer as { token: string };
  const client = createClient({ url: server.url, token, WebSocket });
  const ada = open(client);
  await eventually(() => expect(ada.status).toBe('signedOut'));
  expect(opened).toEqual([]);
  answer = await tokenOf('ada');
  client.connection.retry();
  await eventually(() => expect(ada.status).toBe('synced'));
  expect(opened).toHaveLength(1);
});

it('an editor takes over the socket of one that has just ended, and the last one closes it', async () => {
  const { opened, WebSocket } = listedSockets();
  const token = () => tokenOf('ada');
  const client = createClient({ url: server.url, token, WebSocket });
  // StrictMode ends an editor while it connects, and a page that shows another document ends a connected one.
  open(client).destroy();
  const first = open(client);
  await eventually(() => expect(first.status).toBe('synced'));
  first.destroy();
  const second = open(client, 'other');
  await eventually(() => expect(second.status).toBe('synced'));
  expect(opened).toHaveLength(1);
  second.destroy();
  await eventually(() => expect(opened[0]?.readyState).toBe(WebSocket.CLOSED));
});

it('an editor that is destroyed twice leaves the socket to others', async () => {
  const client = clientOf('ada');
  const first = open(client);
  const second = connectEditor(client, { ...place, editorId: 'notes' });
  whenTestEnds(() => second.destroy());
  await eventually(() => expect([first.status, second.status]).toEqual(['synced', 'synced']));
  first.destroy();
  first.destroy();
  second.document.getText('content').insert(0, 'Alone. ');
  await eventually(() => expect(second.hasUnsyncedChanges).toBe(false));
});

it('an editor that is destroyed while the server is away still sends its edits, and its user is gone', async () => {
  const proxy = await createNetwork(server.url);
  const client = createClient({ url: proxy.url, token: () => tokenOf('ada') });
  const [ada, bea] = [open(client), open(clientOf('bea'))];
  await eventually(() => expect([ada.status, bea.status]).toEqual(['synced', 'synced']));
  proxy.cut();
  await eventually(() => expect(ada.status).toBe('offline'));
  ada.document.getText('content').insert(0, 'Written on a train. ');
  ada.destroy();
  // The page shows another document.
  const other = open(client, 'other');
  proxy.mend();
  const { websocketProvider } = ada.provider.configuration;
  await eventually(() => expect(`${bea.document.getText('content')}`).toContain('on a train'));
  await eventually(() => expect(other.status).toBe('synced'));
  await eventually(() =>
    expect([...websocketProvider.configuration.providerMap.values()]).toEqual([other.provider]),
  );
  const clients = [...(bea.provider.awareness?.getStates().keys() ?? [])];
  expect(clients).not.toContain(ada.document.clientID);
});

it('an editor that is destroyed while the server is away sends nothing once its client is closed', async () => {
  const proxy = await createNetwork(server.url);
  const client = createClient({ url: proxy.url, token: () => tokenOf('ada') });
  const ada = open(client);
  await eventually(() => expect(ada.status).toBe('synced'));
  proxy.cut();
  await eventually(() => expect(ada.status).toBe('offline'));
  ada.document.getText('content').insert(0, 'Never sent. ');
  ada.destroy();
  expect(ada.provider.isAttached).toBe(true);
  client.close();
  expect(ada.provider.isAttached).toBe(false);
});

it('an editor that was offline sends its state, and not each of its edits again', async () => {
  const proxy = await createNetwork(server.url);
  let sent = 0;
  class CountingSocket extends WebSocket {
    override send(data: string | ArrayBufferView<ArrayBuffer>): void {
      sent++;
      super.send(data);
    }
  }
  const token = () => tokenOf('ada');
  const ada = open(createClient({ url: proxy.url, token, WebSocket: CountingSocket }));
  await eventually(() => expect(ada.status).toBe('synced'));
  proxy.cut();
  await eventually(() => expect(ada.status).toBe('offline'));
  sent = 0;
  const text = ada.document.getText('offline');
  for (let at = 0; at < 100; at++) text.insert(at, 'x');
  proxy.mend();
  await eventually(() => expect([ada.status, ada.hasUnsyncedChanges]).toEqual(['synced', false]));
  expect(sent).toBeLessThan(20);
});

it('an editor returns within a second of its server', async () => {
  const proxy = await createNetwork(server.url);
  const client = createClient({ url: proxy.url, token: () => tokenOf('ada') });
  const ada = open(client);
  await eventually(() => expect(ada.status).toBe('synced'));
  proxy.cut();
  // So many attempts fail as in some seconds without a server.
  await eventually(() => expect(proxy.refused).toBeGreaterThan(8));
  expect(ada.status).not.toBe('synced');
  proxy.mend();
  await eventually(() => expect(ada.status).toBe('synced'), SOON_MS);
});

it('an editor that returns after an interruption and others see each other at once, although nobody does anything', async () => {
  const proxy = await createNetwork(server.url);
  const ada = open(createClient({ url: proxy.url, token: () => tokenOf('ada') }));
  const bea = open(clientOf('bea'));
  const isSeen = () =>
    expect(bea.provider.awareness?.getStates().has(ada.document.clientID)).toBe(true);
  await eventually(isSeen);
  proxy.cut();
  await eventually(() => expect(isSeen).toThrow());
  proxy.mend();
  await eventually(() => expect(ada.status).toBe('synced'));
  await eventually(isSeen, SOON_MS);
  const seen = () => ada.provider.awareness?.getStates().has(bea.document.clientID);
  await eventually(() => expect(seen()).toBe(true), SOON_MS);
});

const addDocument = (documentId: string) =>
  app.documents.add({ organizationId: 'acme', documents: [{ documentId }] });

const restrict = (documentId: string, accessType: 'restricted' | 'organizationPrivate') =>
  app.documents.updateAccess({ organizationId: 'acme', documentIds: [documentId], accessType });

it('an editor says that it is refused when the access of its user ends', async () => {
  const { token } = await tokenOf('cleo');
  const cleo = open(createClient({ url: server.url, token }));
  await eventually(() => expect(cleo.status).toBe('synced'));
  await app.users.delete({ organizationId: 'acme', userIds: ['cleo'] });
  await eventually(() => expect(cleo.status).toBe('refused'));
  expect(cleo.error).toBeTruthy();
});

/** @returns a function that makes refused editors try again, as they do half a minute later */
function watchRetries() {
  // Fake timers would also stop those of the connection.
  const { mock } = vi.spyOn(globalThis, 'setTimeout');
  return () => {
    for (const [retry, ms] of mock.calls.splice(0)) if (ms === REFUSED_RETRY_MS) retry();
  };
}

it('an editor that was refused opens its document once its user is given access again', async () => {
  const retryNow = watchRetries();
  await addDocument('returned');
  const cleo = open(clientOf('cleo'), 'returned');
  await eventually(() => expect(cleo.status).toBe('synced'));
  await restrict('returned', 'restricted');
  await eventually(() => expect(cleo.status).toBe('refused'));
  expect(cleo.canWrite).toBe(false);
  await restrict('returned', 'organizationPrivate');
  retryNow();
  await eventually(() => expect([cleo.status, cleo.canWrite]).toEqual(['synced', true]));
});

it('an editor whose tokens were refused opens its document once the app gives another one', async () => {
  const retryNow = watchRetries();
  const { token: first } = await tokenOf('dora');
  const caller = await verifyUserToken(secrets, Date, first);
  const second = await signUserToken(secrets, { now: () => Date.now() - 60_000 }, caller);
  await app.auth.revokeTokens({ userIds: ['dora'] });
  const answers = [first, second, (await tokenOf('dora')).token];
  const token = async () => answers.shift() ?? '';
  const dora = open(createClient({ url: server.url, token }));
  await eventually(() => expect([dora.status, dora.error]).toEqual(['refused', 'TOKEN_REVOKED']));
  retryNow();
  await eventually(() => expect(dora.status).toBe('synced'));
});

it('an editor whose document was deleted sends nothing into a new one with its id', async () => {
  const retryNow = watchRetries();
  const proxy = await createNetwork(server.url);
  const client = createClient({ url: proxy.url, token: () => tokenOf('ada') });
  await addDocument('deleted');
  const [ada, other] = [open(client, 'deleted'), open(client)];
  await eventually(() => expect([ada.status, other.status]).toEqual(['synced', 'synced']));
  ada.document.getText('content').insert(0, 'Deleted. ');
  await eventually(() => expect(ada.hasUnsyncedChanges).toBe(false));
  await app.documents.delete({ organizationId: 'acme', documentIds: ['deleted'] });
  await eventually(() => expect([ada.status, ada.error]).toEqual(['refused', 'NOT_FOUND']));

  await addDocument('deleted');
  const bea = open(clientOf('bea'), 'deleted');
  await eventually(() => expect(bea.status).toBe('synced'));
  retryNow();
  // The connection may be back between two looks.
  const seen: string[] = [];
  other.subscribe(() => seen.push(other.status));
  proxy.breakAll();
  await eventually(() => expect(seen).toContain('connecting'));
  await eventually(() => expect(other.status).toBe('synced'));
  expect([ada.status, `${bea.document.getText('content')}`]).toEqual(['refused', '']);
});

it('an editor keeps its cursor visible, also after the clock of its computer was set back', async () => {
  // Yjs reads the clock, which stands still compared with these timers.
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  const ada = open(clientOf('ada'));
  await eventually(() => expect(ada.status).toBe('synced'));
  const published = vi.fn();
  ada.provider.awareness?.on('update', published);
  vi.advanceTimersByTime(20_000);
  expect(published).toHaveBeenCalled();
});

it('an editor shows no cursor while its page is in the cache of the browser, and again when the page comes back', async () => {
  const page = new EventTarget();
  vi.stubGlobal('window', page);
  vi.stubGlobal('addEventListener', page.addEventListener.bind(page));
  const [ada, bea] = [open(clientOf('ada')), open(clientOf('bea'))];
  const shown = () => bea.provider.awareness?.getStates().get(ada.document.clientID);
  const user = expect.objectContaining({ color: '#aa0000' });
  await eventually(() => expect(shown()).toMatchObject({ user }));
  page.dispatchEvent(new Event('pagehide'));
  await eventually(() => expect(shown()).toBe(undefined));
  page.dispatchEvent(new Event('pageshow'));
  await eventually(() => expect(shown()).toMatchObject({ user }));
});

it('an editor waits for long content on a slow network, instead of connecting again and again', async () => {
  const page = Object.assign(new EventTarget(), { visibilityState: 'visible' });
  vi.stubGlobal('document', page);
  vi.stubGlobal('addEventListener', page.addEventListener.bind(page));
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
  const arriving: Array<() => void> = [];
  let opened = 0;
  /** A socket on which the content arrives late, and each answer to a ping after it. */
  class SlowSocket extends WebSocket {
    constructor(url: string | URL) {
      super(url);
      opened++;
    }
    override set onmessage(listener: (event: MessageEvent) => void) {
      super.onmessage = (event) => {
        const data = new Uint8Array(event.data);
        // The address comes first, then the types of the message: sync step 2.
        const [type, step] = data.subarray(1 + (data[0] ?? 0));
        const isLate = arriving.length > 0 || (type === 0 && step === 1);
        if (isLate) arriving.push(() => listener(event));
        else listener(event);
      };
    }
  }
  const { token } = await tokenOf('ada');
  const ada = open(createClient({ url: server.url, token, WebSocket: SlowSocket }));
  await vi.waitFor(() => expect(arriving).not.toEqual([]));
  await vi.advanceTimersByTimeAsync(50_000);
  expect([ada.status, opened]).toEqual(['connecting', 1]);
  for (const arrive of arriving) arrive();
  expect(ada.status).toBe('synced');
});
