import { once } from 'node:events';
import { describe, expect, it } from 'vitest';
import { organize } from '../support/directory.ts';
import {
  connect,
  type Editor,
  makePlan,
  openEditor,
  planServer,
  userToken,
} from '../support/editors.ts';
import { eventually } from '../support/eventually.ts';
import { RawSocket } from '../support/raw-socket.ts';
import { startTestServer } from '../support/server.ts';

const server = await startTestServer({
  MAX_LIVE_CONNECTIONS_PER_USER: '4',
  MAX_LIVE_CONNECTIONS_PER_USER_IN_DOCUMENT: '3',
  MAX_LIVE_CONNECTIONS_PER_DOCUMENT: '4',
});
await makePlan(server);
const documents = ['open', 'wide'].map((documentId) => ({ documentId, accessType: 'public' }));
await organize(server, 'acme', { documents });

const optionsFor = async (userId: string, editorId = 'body') => ({
  url: server.url,
  name: `acme/plan/${editorId}`,
  token: await userToken(server, userId, { accessRole: 'editor' }),
});

it('connections are limited for each user and for each document, and released when closed', async () => {
  const ada = await optionsFor('ada');
  const [first] = [await openEditor(ada), await openEditor(ada), await openEditor(ada)];
  const fourth = connect(ada);
  await eventually(() => expect(fourth.refusals).toContain('RESOURCE_EXHAUSTED'));
  await openEditor(await optionsFor('bob'));
  const late = connect(await optionsFor('cleo'));
  await eventually(() => expect(late.refusals).toContain('RESOURCE_EXHAUSTED'));

  first?.provider.destroy();
  await eventually(async () => {
    await openEditor(await optionsFor('cleo', 'other'));
  });
});

it('users without a role leave room in a public document for users with one', async () => {
  const name = 'acme/open/body';
  for (const guest of ['one', 'two', 'three']) {
    await openEditor({ url: server.url, name, token: await userToken(server, guest) });
  }
  const token = await userToken(server, 'four');
  const guest = connect({ url: server.url, name, token });
  await eventually(() => expect(guest.refusals).toContain('RESOURCE_EXHAUSTED'));
  const users = [{ userId: 'owner', accessRole: 'editor' }];
  await server.call('/v1/users/add', { organizationId: 'acme', documentId: 'open', users });
  await openEditor({ url: server.url, name, token: await userToken(server, 'owner') });
});

it('a document accepts 10 MB at most, and always edits that shrink it', async () => {
  const options = await optionsFor('finn', 'full');
  const { text, sent } = await openEditor(options);
  const part = 'x'.repeat(4_000_000);
  text.insert(0, part);
  text.insert(0, part);
  await sent(15_000);
  const greedy = await openEditor(options);
  greedy.text.insert(0, part);
  await eventually(() => expect(greedy.refusals).toContain('RESOURCE_EXHAUSTED'));
  text.delete(0, 4_000_000);
  await sent();
  const fresh = await openEditor(options);
  expect(fresh.text.length).toBe(4_000_000);
});

it('a full document accepts a long edit that only deletes, and editors who come back with its content', async () => {
  const options = await optionsFor('hal', 'brimful');
  const { doc, text, sent, leave } = await openEditor(options);
  for (let half = 0; half < 2; half++) text.insert(0, 'x'.repeat(5_240_000));
  await sent(15_000);
  for (let edit = 0; edit < 10; edit++) text.insert(0, 'y'.repeat(900));
  await sent();
  doc.transact(() => {
    for (let at = 400; at-- > 0; ) text.delete(at * 1_000, 1);
  });
  await sent();
  leave();
  const { refusals, sent: sentAgain } = await openEditor({ ...options, doc });
  await sentAgain();
  expect(refusals).toEqual([]);
});

it('a document accepts 10 MB at most of edits that arrive at one moment', async () => {
  const options = await optionsFor('gus', 'crowded');
  const editors = [await openEditor(options), await openEditor(options), await openEditor(options)];
  for (const { text } of editors) text.insert(0, 'x'.repeat(4_000_000));
  const accepted = () => editors.filter(({ refusals }) => !refusals.includes('RESOURCE_EXHAUSTED'));
  await eventually(() => expect(accepted()).toHaveLength(2));
  for (const { sent } of accepted()) await sent(15_000);
  expect((await openEditor(options)).text.length).toBe(8_000_000);
});

describe('a socket', () => {
  it('that sends much before its token is closed with the reason', async () => {
    const { socket, closed } = await RawSocket.open(server.url);
    socket.send(Buffer.alloc(300 * 1024));
    expect(await closed).toEqual({ code: 4429, reason: 'RESOURCE_EXHAUSTED' });
  });

  it('cannot make the server keep megabytes of a message before it has shown a token', async () => {
    const name = 'acme/plan/patient';
    /** Begins a message, and never ends it. Returns whether the server still reads it. */
    const begin = async (raw: RawSocket) => {
      raw.socket.send(Buffer.alloc(600_000), { fin: false });
      raw.socket.ping();
      return Promise.race([once(raw.socket, 'pong').then(() => true), raw.closed]);
    };
    const stranger = await RawSocket.open(server.url);
    expect(await begin(stranger)).toEqual({ code: 1009, reason: '' });
    const { token } = await optionsFor('ida');
    expect(await begin(await RawSocket.openWithAccess(server.url, name, token))).toBe(true);
  });

  it('that sends messages faster than anybody types is closed with the reason', async () => {
    const { socket, closed } = await RawSocket.open(server.url);
    // A document name with a message type that is ignored without access.
    for (let sent = 0; sent < 20_000; sent++) socket.send(Buffer.from([1, 97, 1]));
    expect(await closed).toEqual({ code: 4429, reason: 'RESOURCE_EXHAUSTED' });
  });

  it('that sends a message over 10 MB is closed', async () => {
    const { socket, closed } = await RawSocket.open(server.url);
    socket.send(Buffer.alloc(11 * 1024 * 1024));
    expect((await closed).code).toBe(1009);
  });

  it('carries 100 documents at most, which may open at one moment', async () => {
    const { server: roomy, token } = await planServer();
    const editors: Editor[] = [];
    const add = () => {
      const socket = editors[0]?.provider.configuration.websocketProvider;
      const name = `acme/plan/${editors.length}`;
      const editor = connect({ url: roomy.url, name, token, socket });
      editor.text.insert(0, 'typed before it was open');
      editors.push(editor);
      return editor.provider.configuration.websocketProvider;
    };
    const socket = add();
    while (editors.length < 100) add();
    const allSent = () => Promise.all(editors.map(({ sent }) => sent()));
    await allSent();
    // As when the network comes back.
    socket.webSocket?.close();
    await eventually(() => expect(editors[0]?.provider.synced).toBe(false));
    await allSent();
    const refusals = () => editors.flatMap((editor) => editor.refusals);
    expect(refusals()).not.toContain('RESOURCE_EXHAUSTED');
    add();
    await eventually(() => expect(refusals()).toContain('RESOURCE_EXHAUSTED'));
  });
});

it('awareness over 16 KB is not passed on', async () => {
  const [one, other] = [
    await openEditor(await optionsFor('eve', 'awareness')),
    await openEditor(await optionsFor('eve', 'awareness')),
  ];
  one.provider.setAwarenessField('cursor', 'x'.repeat(20_000));
  one.provider.setAwarenessField('cursor', 'short');
  const cursors = () => [...other.states().values()].map(({ cursor }) => cursor);
  await eventually(() => expect(cursors()).toContain('short'));
  one.provider.setAwarenessField('cursor', 'y'.repeat(20_000));
  one.provider.setAwarenessField('done', true);
  one.text.insert(0, 'later');
  await eventually(() => expect(other.text.toString()).toBe('later'));
  expect(cursors()).not.toContain('y'.repeat(20_000));
});
