import { expect, it } from 'vitest';
import * as Y from 'yjs';
import { fresh } from '../support/answers.ts';
import { connect, planServer } from '../support/editors.ts';
import { eventually, SOON_MS } from '../support/eventually.ts';
import { createNetwork } from '../support/network.ts';
import {
  CLOSE,
  RawSocket,
  STEP_1,
  STEP_2,
  SYNC,
  UPDATE,
  withLength,
} from '../support/raw-socket.ts';
import { startTestServer } from '../support/server.ts';

const { server, token, open, call, contentOf } = await planServer();
const other = await startTestServer({ DATABASE_URL: server.databaseUrl });
const { url } = server;

it('a document can be left while it loads, and opened again at once on the same socket', async () => {
  const keeper = await open('keeper');
  const socket = keeper.provider.configuration.websocketProvider;
  const again = { url, name: 'acme/plan/again', token, socket };
  const first = connect(again);
  await eventually(() => expect(first.provider.isAuthenticated).toBe(true));
  first.text.insert(0, 'Hello');
  first.provider.destroy();
  const second = connect(again);
  await second.sent();
  await eventually(async () => expect(await contentOf('again')).toBe('Hello'));
});

it('a client that opens a document again at once receives no confirmations of its former edits', async () => {
  const name = 'acme/plan/left';
  const raw = await RawSocket.openWithAccess(url, name, token);
  const doc = new Y.Doc();
  doc.getText('content').insert(0, 'Hello');
  raw.send(name, SYNC, UPDATE, withLength(Y.encodeStateAsUpdate(doc)));
  raw.send(name, CLOSE);
  raw.authenticate(name, token);
  raw.send(name, SYNC, STEP_1, withLength(Y.encodeStateVector(doc)));
  await eventually(() => expect(raw.received(name, SYNC, STEP_2)).toHaveLength(1));
  await eventually(async () => expect(await contentOf('left')).toBe('Hello'));
  expect(raw.confirmations(name)).toEqual([]);
  expect(raw.closeReasons(name)).toEqual(['provider_initiated']);
});

it('a client that opens a document again is seen by others at once, also with a new provider', async () => {
  const witness = await open('seen');
  const first = await open('seen');
  const { doc } = first;
  const colour = () => witness.states().get(doc.clientID)?.user?.color;
  for (const color of ['#a00', '#0a0', '#00a']) first.provider.setAwarenessField('user', { color });
  await eventually(() => expect(colour()).toBe('#00a'));
  first.provider.detach();
  await eventually(() => expect(colour()).toBe(undefined));
  first.provider.attach();
  await eventually(() => expect(colour()).toBe('#00a'), SOON_MS);
  first.leave();
  await eventually(() => expect(colour()).toBe(undefined));
  const second = await open('seen', { doc });
  second.provider.setAwarenessField('user', { color: '#aaa' });
  await eventually(() => expect(colour()).toBe('#aaa'), SOON_MS);
});

it('a client that was offline for long stores all its edits, also if the first of them were lost with the connection', async () => {
  const network = await createNetwork(url);
  const editor = await open('offline', { at: network });
  network.dropPackets();
  editor.text.insert(0, 'sent, and lost ');
  network.deliverPackets();
  network.cut();
  await eventually(() => expect(editor.provider.synced).toBe(false));
  for (let at = 0; at < 6; at++) editor.text.insert(0, 'made offline '.repeat(4_800));
  network.mend();
  await editor.sent();
  expect(await contentOf('offline')).toBe(editor.text.toString());
});

it.each([
  ['this process', () => server],
  ['another process', () => other],
])(
  'a client that opened a document before its content was added by %s is disconnected when that is deleted',
  async (_, at) => {
    const editorId = fresh('added-later');
    const editor = await open(editorId);
    await call('add', { editorId, type: 'text', data: 'added later' }, at());
    await eventually(() => expect(editor.text.toString()).toBe('added later'));
    await call('delete', { editorId }, at());
    await eventually(() => expect(editor.refusals).toEqual(['NOT_FOUND']));
  },
);
