import { expect, it, vi } from 'vitest';
import { signUserToken, verifyUserToken } from '../../src/api/credentials/user-tokens.ts';
import { type ConnectedEditor, connectEditor } from '../../src/client/editor.ts';
import { REFUSED_RETRY_MS } from '../../src/client/follow.ts';
import {
  type ClientOptions,
  type CollaborationClient,
  createClient,
} from '../../src/client/index.ts';
import { createServerClient } from '../../src/client/server.ts';
import type { Token } from '../../src/client/token-source.ts';
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

type Options = Partial<Pick<ClientOptions, 'url' | 'WebSocket'>> & { token?: Token };

/** The client of a person in the organization. */
const clientOf = (userId: string, options: Options = {}): CollaborationClient =>
  createClient({ url: server.url, token: () => tokenOf(userId), ...options });

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

const whenStatus = (status: string, ...editors: ConnectedEditor[]) =>
  eventually(() => {
    for (const editor of editors) expect(editor.status).toBe(status);
  });
const whenSynced = (...editors: ConnectedEditor[]) => whenStatus('synced', ...editors);
const whenStored = (editor: ConnectedEditor) =>
  eventually(() => expect(editor.hasUnsyncedChanges).toBe(false));
const write = ({ document }: ConnectedEditor, words: string) =>
  document.getText('content').insert(0, words);
const textOf = ({ document }: ConnectedEditor) => document.getText('content').toString();

it('an editor edits with others, knows when its edits are stored, and may be open twice on one page', async () => {
  const client = clientOf('ada');
  const [ada, preview, bea] = [open(client), open(client), open(clientOf('bea'))];
  await whenSynced(ada, preview, bea);
  write(ada, 'Hello');
  expect(ada.hasUnsyncedChanges).toBe(true);
  for (const other of [preview, bea])
    await eventually(() => expect(textOf(other)).toMatch(/^Hello/));
  await whenStored(ada);
  // The second call must not close the socket that the other editor of the page uses.
  for (let times = 0; times < 2; times++) preview.destroy();
  write(ada, 'Alone. ');
  await whenStored(ada);
});

it('an editor is read-only until its content has arrived', async () => {
  await app.crdt.add({ ...place, editorId: 'long', type: 'text', data: 'Content' });
  const editor = connectEditor(clientOf('ada'), { ...place, editorId: 'long' });
  whenTestEnds(() => editor.destroy());
  const seen: string[] = [];
  editor.subscribe(() => editor.canWrite && seen.push(textOf(editor)));
  await eventually(() => expect(seen).not.toEqual([]));
  expect(seen[0]).toBe('Content');
});

it('an editor is refused with the reason, beside another document on the same socket', async () => {
  const client = clientOf('stranger');
  const [allowed, refused] = [open(client), open(client, 'secret')];
  await whenStatus('refused', refused);
  expect(refused.error).toBe('PERMISSION_DENIED');
  await whenSynced(allowed);
});

it('an editor continues with a new token when the old one has ended, although the server requested none', async () => {
  const { fresh, ending } = await endingToken();
  const tokens = [ending];
  const ada = open(clientOf('ada', { token: () => tokens.shift() ?? fresh }));
  const statuses: string[] = [];
  ada.subscribe(() => statuses.at(-1) !== ada.status && statuses.push(ada.status));
  await eventually(() =>
    expect(statuses).toEqual(['connecting', 'synced', 'connecting', 'synced']),
  );
  write(ada, 'Still here. ');
  expect(ada.hasUnsyncedChanges).toBe(true);
  await whenStored(ada);
});

const grant = (userId: string, accessRole: 'viewer' | 'editor') => {
  const document = { type: 'document' as const, id: 'plan', organizationId: 'acme', accessRole };
  return app.permissions.add({ user: { userId }, permissions: { resources: [document] } });
};

it('an editor knows whether its user may write, and has nothing to store while not', async () => {
  await app.users.add({ organizationId: 'acme', users: [{ userId: 'vera' }] });
  await grant('vera', 'viewer');
  const { token } = await app.auth.generateToken({ userId: 'vera' });
  const vera = open(clientOf('vera', { token }));
  expect(vera.canWrite).toBe(false);
  await whenSynced(vera);
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

it('an editor whose user is signed out while it is open continues after the next sign-in', async () => {
  const { fresh, ending } = await endingToken();
  const answers = [ending];
  let later: unknown = { error: 'Sign in first.' };
  const token = async () => (answers.shift() ?? later) as string;
  const client = clientOf('ada', { token });
  const ada = open(client);
  await whenSynced(ada);
  // Another part of the page notices first, before the server requests a token and closes the document.
  transportOf(client).discardToken('TOKEN_EXPIRED', ending);
  await whenStatus('signedOut', ada);
  later = fresh;
  client.connection.retry();
  await whenSynced(ada);
});

it('an editor continues when the app that gives tokens is back', async () => {
  const failures = ['The network is down.'];
  const token = async () => {
    const failure = failures.shift();
    if (failure) throw new Error(failure);
    return tokenOf('ada');
  };
  const ada = open(clientOf('ada', { token }));
  const statuses: string[] = [];
  ada.subscribe(() => statuses.push(ada.status));
  await whenSynced(ada);
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
  const ada = open(clientOf('ada', { token }));
  await whenSynced(ada);
  const statuses: string[] = [];
  ada.subscribe(() => statuses.push(`${ada.status} ${ada.canWrite}`));
  await eventually(() => expect(statuses).toContain('offline true'));
  await whenSynced(ada);
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

it('an editor says in words for people that its user is signed out, and opens a socket only after the next sign-in', async () => {
  const { opened, WebSocket } = listedSockets();
  let answer: unknown = { error: 'Sign in first.' };
  const token = async () => answer as { token: string };
  const client = clientOf('ada', { token, WebSocket });
  const ada = open(client);
  await whenStatus('signedOut', ada);
  expect(ada.error).toBe('You are signed out. Sign in to continue.');
  expect(client.connection.status).toBe('signedOut');
  expect(opened).toEqual([]);
  answer = await tokenOf('ada');
  client.connection.retry();
  await whenSynced(ada);
  expect(client.connection.status).not.toBe('signedOut');
  expect(opened).toHaveLength(1);
});

it('an editor takes over the socket of one that has just ended, and the last one closes it', async () => {
  const { opened, WebSocket } = listedSockets();
  const client = clientOf('ada', { WebSocket });
  // StrictMode ends an editor while it connects, and a page that shows another document ends a connected one.
  open(client).destroy();
  const first = open(client);
  await whenSynced(first);
  first.destroy();
  const second = open(client, 'other');
  await whenSynced(second);
  expect(opened).toHaveLength(1);
  second.destroy();
  await eventually(() => expect(opened[0]?.readyState).toBe(WebSocket.CLOSED));
});

/** A network to the server, with an editor of Ada that has its content. */
async function openOverNetwork(options: Options = {}) {
  const network = await createNetwork(server.url);
  const client = clientOf('ada', { url: network.url, ...options });
  const ada = open(client);
  await whenSynced(ada);
  const cut = async () => {
    network.cut();
    await whenStatus('offline', ada);
  };
  return { network, client, ada, cut };
}

it('an editor that is destroyed while the server is away still sends its edits, and its user is gone', async () => {
  const { network, client, ada, cut } = await openOverNetwork();
  const bea = open(clientOf('bea'));
  await whenSynced(bea);
  await cut();
  write(ada, 'Written on a train. ');
  ada.destroy();
  // The page shows another document.
  const other = open(client, 'other');
  network.mend();
  const { websocketProvider } = ada.provider.configuration;
  await eventually(() => expect(textOf(bea)).toContain('on a train'));
  await whenSynced(other);
  await eventually(() =>
    expect([...websocketProvider.configuration.providerMap.values()]).toEqual([other.provider]),
  );
  const clients = [...(bea.provider.awareness?.getStates().keys() ?? [])];
  expect(clients).not.toContain(ada.document.clientID);
});

it('an editor that is destroyed while the server is away sends nothing once its client is closed', async () => {
  const { client, ada, cut } = await openOverNetwork();
  await cut();
  write(ada, 'Never sent. ');
  ada.destroy();
  expect(ada.provider.isAttached).toBe(true);
  client.close();
  expect(ada.provider.isAttached).toBe(false);
});

it('an editor returns within a second of its server, sends its state and not each of its edits, and is seen by others at once', async () => {
  let sent = 0;
  class CountingSocket extends WebSocket {
    override send(data: string | ArrayBufferView<ArrayBuffer>): void {
      sent++;
      super.send(data);
    }
  }
  const { network, ada, cut } = await openOverNetwork({ WebSocket: CountingSocket });
  const bea = open(clientOf('bea'));
  const sees = (one: ConnectedEditor, other: ConnectedEditor) =>
    one.provider.awareness?.getStates().has(other.document.clientID);
  await eventually(() => expect(sees(bea, ada)).toBe(true));
  await cut();
  sent = 0;
  for (let edit = 0; edit < 100; edit++) write(ada, 'x');
  // So many attempts fail as in some seconds without a server.
  await eventually(() => expect(network.refused).toBeGreaterThan(8));
  await eventually(() => expect(sees(bea, ada)).toBe(false));
  expect(ada.status).not.toBe('synced');
  network.mend();
  await eventually(() => expect(ada.status).toBe('synced'), SOON_MS);
  await eventually(() => expect([sees(bea, ada), sees(ada, bea)]).toEqual([true, true]), SOON_MS);
  await whenStored(ada);
  expect(sent).toBeLessThan(20);
});

const addDocument = (documentId: string) =>
  app.documents.add({ organizationId: 'acme', documents: [{ documentId }] });

const restrict = (documentId: string, accessType: 'restricted' | 'organizationPrivate') =>
  app.documents.updateAccess({ organizationId: 'acme', documentIds: [documentId], accessType });

/** @returns a function that makes refused editors try again, as they do half a minute later */
function watchRetries() {
  // Fake timers would also stop those of the connection.
  const { mock } = vi.spyOn(globalThis, 'setTimeout');
  return () => {
    for (const [retry, ms] of mock.calls.splice(0)) if (ms === REFUSED_RETRY_MS) retry();
  };
}

it('an editor is refused when the access of its user ends, and opens its document once that is given back', async () => {
  const retryNow = watchRetries();
  await addDocument('returned');
  const cleo = open(clientOf('cleo'), 'returned');
  await whenSynced(cleo);
  await restrict('returned', 'restricted');
  await whenStatus('refused', cleo);
  expect([cleo.error, cleo.canWrite]).toEqual(['PERMISSION_DENIED', false]);
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
  const dora = open(clientOf('dora', { token }));
  await eventually(() => expect([dora.status, dora.error]).toEqual(['refused', 'TOKEN_REVOKED']));
  retryNow();
  await whenSynced(dora);
});

it('an editor whose document was deleted sends nothing into a new one with its id', async () => {
  const retryNow = watchRetries();
  const proxy = await createNetwork(server.url);
  const client = clientOf('ada', { url: proxy.url });
  await addDocument('deleted');
  const [ada, other] = [open(client, 'deleted'), open(client)];
  await whenSynced(ada, other);
  write(ada, 'Deleted. ');
  await whenStored(ada);
  await app.documents.delete({ organizationId: 'acme', documentIds: ['deleted'] });
  await eventually(() => expect([ada.status, ada.error]).toEqual(['refused', 'NOT_FOUND']));

  await addDocument('deleted');
  const bea = open(clientOf('bea'), 'deleted');
  await whenSynced(bea);
  retryNow();
  // The connection may be back between two looks.
  const seen: string[] = [];
  other.subscribe(() => seen.push(other.status));
  proxy.breakAll();
  await eventually(() => expect(seen).toContain('connecting'));
  await whenSynced(other);
  expect([ada.status, textOf(bea)]).toEqual(['refused', '']);
});

it('an editor keeps its cursor visible, also after the clock of its computer was set back', async () => {
  // Yjs reads the clock, which stands still compared with these timers.
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  const ada = open(clientOf('ada'));
  await whenSynced(ada);
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
  const ada = open(clientOf('ada', { token, WebSocket: SlowSocket }));
  await vi.waitFor(() => expect(arriving).not.toEqual([]));
  await vi.advanceTimersByTimeAsync(50_000);
  expect([ada.status, opened]).toEqual(['connecting', 1]);
  for (const arrive of arriving) arrive();
  expect(ada.status).toBe('synced');
});
