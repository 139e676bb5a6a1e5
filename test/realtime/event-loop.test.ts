import { once } from 'node:events';
import { expect, it } from 'vitest';
import { WebSocket } from 'ws';
import * as Y from 'yjs';
import { eventually } from '../support/eventually.ts';
import { watchedServer } from '../support/processes.ts';
import {
  AWARENESS,
  frameOf,
  RawSocket,
  STEP_2,
  SYNC,
  UPDATE,
  varUint,
  withLength,
} from '../support/raw-socket.ts';
import { post } from '../support/server.ts';
import { whenTestEnds } from '../support/when-file-ends.ts';

const { server, headers, token, open, call, expectNoBlock } = await watchedServer();

const openRaw = (name: string) => RawSocket.openWithAccess(server.url, name, token);

it('a passage of a large text never blocks the event loop, whatever the quote', async () => {
  const editor = { organizationId: 'acme', documentId: 'plan', editorId: 'passages' };
  const replace = async (quote: string, occurrence?: number) => {
    const data = { ...editor, quote, replacement: 'b', occurrence };
    return (await post(`${server.url}/v2/crdt/replace_range`, { data }, headers.apiKey)).body;
  };
  const text = 'a'.repeat(1_000_000);
  await call('add', { editorId: 'passages', type: 'text', data: text });
  await expectNoBlock(async () => {
    // A search by `indexOf` takes 12 s.
    const hard = await replace(`${'a'.repeat(32_000)}b${'a'.repeat(32_000)}`);
    expect(hard.error.status).toBe('NOT_FOUND');
    expect((await replace('a')).error.details.occurrences).toBe(text.length);
    expect((await replace('a', 500_000)).error).toBeUndefined();
  });
});

it('very many subdocuments are refused, and never block the event loop', async () => {
  const writer = await open('subdocuments');
  await expectNoBlock(async () => {
    writer.doc.transact(() => {
      const map = writer.doc.getMap('pages');
      for (let at = 0; at < 8_000; at++) map.set(`${at}`, new Y.Doc());
    });
    await eventually(() => expect(writer.refusals).toEqual(['RESOURCE_EXHAUSTED']));
  });
});

it('a few subdocuments are stored as what they are: names of other documents', async () => {
  const writer = await open('pages');
  writer.doc.getMap('pages').set('one', new Y.Doc({ guid: 'acme/plan/page-one' }));
  await writer.sent();
  const [page] = [...(await open('pages')).doc.getSubdocs()];
  expect(page?.guid).toBe('acme/plan/page-one');
});

const keys = (count: number) =>
  Object.fromEntries(Array.from({ length: count }, (_, at) => [`k${at}`, at]));

function updateOf(change: (doc: Y.Doc) => void): Uint8Array {
  const doc = new Y.Doc();
  doc.transact(() => change(doc));
  return Y.encodeStateAsUpdate(doc);
}

const REFUSED: Array<[string, () => Uint8Array, string]> = [
  [
    'a value with 60,000 keys',
    () => updateOf((doc) => doc.getMap('content').set('a', keys(60_000))),
    'RESOURCE_EXHAUSTED',
  ],
  [
    'an embed with 60,000 keys',
    () => updateOf((doc) => doc.getText('content').insertEmbed(0, keys(60_000))),
    'RESOURCE_EXHAUSTED',
  ],
  [
    'a mark with 60,000 keys',
    () => updateOf((doc) => doc.getText('content').insert(0, 'x', { mark: keys(60_000) })),
    'RESOURCE_EXHAUSTED',
  ],
  ['an embed of 1,000 levels', () => deepEmbed(1_000), 'INVALID_ARGUMENT'],
  ['an embed of 100,000 levels', () => deepEmbed(100_000), 'INVALID_ARGUMENT'],
];

/** Yjs cannot encode this update. */
function deepEmbed(levels: number): Uint8Array {
  const written = updateOf((doc) => doc.getText('content').insertEmbed(0, { a: 'MARK' }));
  const json = Buffer.from('{"a":"MARK"}');
  const at = Buffer.from(written).indexOf(json);
  const deep = Buffer.from(`{"a":${'['.repeat(levels)}${']'.repeat(levels)}}`);
  return Buffer.concat([
    written.subarray(0, at - 1),
    withLength(deep),
    written.subarray(at + json.length),
  ]);
}

let count = 0;
it.each(REFUSED)('%s is refused, and delays nobody', async (_, of, reason) => {
  const name = `acme/plan/refused-${++count}`;
  const writer = await openRaw(name);
  await expectNoBlock(async () => {
    writer.send(name, SYNC, UPDATE, withLength(of()));
    await eventually(() => expect(writer.closeReasons(name)).toEqual([reason]));
  });
});

it('the largest awareness, deep or wide, delays nobody', async () => {
  const name = 'acme/plan/awareness';
  const writer = await openRaw(name);
  const state = (json: string) =>
    withLength(Buffer.concat([Buffer.from([1, ...varUint(5), ...varUint(1)]), withLength(json)]));
  const levels = 125_000;
  await expectNoBlock(async () => {
    writer.send(name, AWARENESS, state(`{"a":${'['.repeat(levels)}${']'.repeat(levels)}}`));
    writer.send(name, AWARENESS, state(JSON.stringify(keys(20_000))));
    writer.send(name, SYNC, STEP_2, withLength(Y.encodeStateAsUpdate(new Y.Doc())));
    await eventually(() => expect(writer.confirmations(name)).toHaveLength(1));
  });
});

it('a thousand small messages at once delay nobody', async () => {
  const name = 'acme/plan/burst';
  const writer = await openRaw(name);
  const doc = new Y.Doc();
  const updates: Uint8Array[] = [];
  doc.on('update', (update) => updates.push(update));
  for (let at = 0; at < 1_000; at++) doc.getText('content').insert(0, 'x');
  const raw = writer.socket as unknown as { _socket: import('node:net').Socket };
  await expectNoBlock(async () => {
    raw._socket.cork();
    for (const update of updates)
      writer.socket.send(frameOf(name, SYNC, UPDATE, withLength(update)));
    raw._socket.uncork();
    await eventually(() => expect(writer.confirmations(name)).toHaveLength(1_000));
  });
});

it('thousands of subscriptions that many sockets request at once delay nobody', async () => {
  const requests = Array.from({ length: 290 }, (_, id) => ({
    id,
    method: 'subscription',
    params: { path: 'comments.changes', input: { json: { organizationId: 'acme' } } },
  }));
  const sockets = await Promise.all(
    Array.from({ length: 80 }, async () => {
      const socket = new WebSocket(`${server.url.replace('http', 'ws')}/trpc`);
      whenTestEnds(() => socket.terminate());
      await once(socket, 'open');
      return socket;
    }),
  );
  let answers = 0;
  for (const socket of sockets) socket.on('message', () => answers++);
  await expectNoBlock(async () => {
    for (const socket of sockets) socket.send(JSON.stringify(requests));
    await eventually(() => expect(answers).toBe(80 * 290));
  });
});

it('thousands of documents that many sockets open with forged tokens delay nobody', async () => {
  const forged = token.replace(/.{5}$/, 'AAAAA');
  const sockets = await Promise.all(Array.from({ length: 80 }, () => RawSocket.open(server.url)));
  const isRefused = (raw: RawSocket) =>
    eventually(() => expect(raw.closeReasons('acme/plan/99')).toHaveLength(1));
  await expectNoBlock(async () => {
    for (const raw of sockets) {
      for (let at = 0; at < 100; at++) raw.authenticate(`acme/plan/${at}`, forged);
    }
    // Sockets are closed once too many tokens of the key were refused.
    await Promise.all(sockets.map((raw) => Promise.race([raw.closed, isRefused(raw)])));
  });
});
