import { once } from 'node:events';
import { describe, expect, it } from 'vitest';
import { organize } from '../support/directory.ts';
import { connect, makePlan, openEditor, planServer, userToken } from '../support/editors.ts';
import { eventually } from '../support/eventually.ts';
import { RawSocket } from '../support/raw-socket.ts';
import { startTestServer } from '../support/server.ts';

const server = await startTestServer({
  MAX_LIVE_CONNECTIONS_PER_USER: '4',
  MAX_LIVE_CONNECTIONS_PER_USER_IN_DOCUMENT: '3',
  MAX_LIVE_CONNECTIONS_PER_DOCUMENT: '4',
});
await makePlan(server);
const documents = [{ documentId: 'open', accessType: 'public' }];
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
  await openEditor({ ...ada, name: 'acme/open/body' });
  const elsewhere = connect({ ...ada, name: 'acme/open/other' });
  await eventually(() => expect(elsewhere.refusals).toContain('RESOURCE_EXHAUSTED'));
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

it('a document accepts 10 MB at most, also at one moment, and always small edits, long deletions, and its own content', async () => {
  const options = await optionsFor('gus', 'full');
  const editors = [await openEditor(options), await openEditor(options), await openEditor(options)];
  for (const { text } of editors) text.insert(0, 'x'.repeat(4_000_000));
  const accepted = () => editors.filter(({ refusals }) => !refusals.includes('RESOURCE_EXHAUSTED'));
  await eventually(() => expect(accepted()).toHaveLength(2));
  for (const editor of editors) {
    if (accepted().includes(editor)) await editor.sent();
    editor.leave();
  }
  const { doc, text, sent, leave } = await openEditor(options);
  expect(text.length).toBe(8_000_000);
  text.insert(0, 'x'.repeat(2_480_000));
  await sent();
  for (let edit = 0; edit < 10; edit++) text.insert(0, 'y'.repeat(900));
  await sent();
  doc.transact(() => {
    for (let at = 400; at-- > 0; ) text.delete(at * 1_000, 1);
  });
  await sent();
  leave();
  const back = await openEditor({ ...options, doc });
  await back.sent();
  expect(back.refusals).toEqual([]);
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
    const { server, token } = await planServer();
    const { url } = server;
    const first = connect({ url, name: 'acme/plan/0', token });
    const socket = first.provider.configuration.websocketProvider;
    const editors = [first];
    const add = () => {
      const editor = connect({ url, name: `acme/plan/${editors.length}`, token, socket });
      editor.text.insert(0, 'typed before it was open');
      editors.push(editor);
    };
    while (editors.length < 100) add();
    const allSent = () => Promise.all(editors.map(({ sent }) => sent()));
    await allSent();
    // As when the network comes back.
    socket.webSocket?.close();
    await eventually(() => expect(first.provider.synced).toBe(false));
    await allSent();
    const refusals = () => editors.flatMap((editor) => editor.refusals);
    expect(refusals()).not.toContain('RESOURCE_EXHAUSTED');
    add();
    await eventually(() => expect(refusals()).toContain('RESOURCE_EXHAUSTED'));
  });
});

it('awareness over 16 KB is not passed on', async () => {
  const options = await optionsFor('eve', 'awareness');
  const [one, other] = [await openEditor(options), await openEditor(options)];
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
