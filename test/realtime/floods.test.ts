import { once } from 'node:events';
import { beforeEach, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import * as Y from 'yjs';
import { fresh } from '../support/answers.ts';
import { eventually } from '../support/eventually.ts';
import { watchedServer } from '../support/processes.ts';
import {
  AWARENESS,
  CLOSE,
  QUERY_AWARENESS,
  RawSocket,
  STATELESS,
  STEP_1,
  STEP_2,
  SYNC,
  UPDATE,
  varUint,
  withLength,
} from '../support/raw-socket.ts';
import { post } from '../support/server.ts';
import { whenTestEnds } from '../support/when-file-ends.ts';

const NOTHING = withLength(Y.encodeStateVector(new Y.Doc()));
const EMPTY_UPDATE = withLength(Y.encodeStateAsUpdate(new Y.Doc()));
let name: string;
let editorId: string;
const { server, headers, token, viewerToken, open, call, expectNoBlock } = await watchedServer();
beforeEach(() => {
  editorId = fresh('flooded');
  name = `acme/plan/${editorId}`;
});

const openRaw = (as = token) => RawSocket.openWithAccess(server.url, name, as);

/** Two users of the document. `exchange` waits until an edit of one has reached the other. */
async function twoOthers() {
  const [writer, reader] = [await open(editorId), await open(editorId)];
  const exchange = async () => {
    writer.doc.getMap('others').set('at', performance.now());
    const expected = writer.doc.getMap('others').get('at');
    await eventually(() => expect(reader.doc.getMap('others').get('at')).toBe(expected));
    expect((await fetch(`${server.url}/healthz`)).status).toBe(200);
  };
  return { writer, exchange };
}

it('a client that requests a large document endlessly gets one answer at a time, and delays nobody', async () => {
  const { writer, exchange } = await twoOthers();
  writer.text.insert(0, 'two '.repeat(500_000));
  await writer.sent();
  const flooder = await openRaw();
  await expectNoBlock(async () => {
    for (let count = 0; count < 500; count++) flooder.send(name, SYNC, STEP_1, NOTHING);
    for (let round = 0; round < 3; round++) await exchange();
    flooder.send(name, SYNC, STEP_1, NOTHING);
    // An edit sent after the questions is confirmed once they are answered.
    flooder.send(name, SYNC, STEP_2, EMPTY_UPDATE);
    await eventually(() => expect(flooder.confirmations(name)).toHaveLength(1), 60_000);
  });
  const answers = flooder.received(name, SYNC, STEP_2);
  expect(answers.length).toBeLessThan(100);
  expect(answers.at(-1)?.length).toBeGreaterThan(2_000_000);
}, 120_000);

/** Sends awareness of Yjs clients, each with its clock and its state as JSON. */
function sendAwareness(raw: RawSocket, ...states: Array<[number, number, string]>): void {
  const entries = states.map(([clientId, clock, json]) =>
    Buffer.concat([Buffer.from([...varUint(clientId), ...varUint(clock)]), withLength(json)]),
  );
  raw.send(name, AWARENESS, withLength(Buffer.concat([Buffer.from([states.length]), ...entries])));
}

const keys = (count: number) =>
  Object.fromEntries(Array.from({ length: count }, (_, at) => [`k${at}`, at]));
const nested = (levels: number) => `{"a":${'['.repeat(levels)}${']'.repeat(levels)}}`;

const large = 'x'.repeat(15_000);
/** All of a large document, as one update. */
const largeUpdate = (() => {
  const doc = new Y.Doc();
  doc.transact(() => {
    for (let at = 0; at < 20_000; at++) doc.getMap('map').set(`key ${at}`, at);
  });
  return withLength(Y.encodeStateAsUpdate(doc));
})();

/** The kind of message, how often it is sent, and how to send one; `at` counts them. */
const FLOODS: Array<[string, number, (raw: RawSocket, at: number) => void]> = [
  ['large awareness', 400, (raw, at) => sendAwareness(raw, [7, at + 1, JSON.stringify({ large })])],
  [
    'awareness of many clients',
    500,
    (raw, at) => {
      const clients = Array.from({ length: 100 }, (_, n) => at * 100 + n + 1);
      sendAwareness(raw, ...clients.map((id): [number, number, string] => [id, 1, `{"n":${id}}`]));
    },
  ],
  ['questions for awareness', 2_000, (raw) => raw.send(name, QUERY_AWARENESS)],
  ['stateless messages', 500, (raw) => raw.send(name, STATELESS, withLength(large))],
  ['tokens', 2_000, (raw) => raw.authenticate(name, token)],
  ['all of a large document', 15, (raw) => raw.send(name, SYNC, STEP_2, largeUpdate)],
  ['edits without content', 2_000, (raw) => raw.send(name, SYNC, UPDATE, EMPTY_UPDATE)],
  [
    'closings and tokens',
    200,
    (raw) => {
      raw.send(name, CLOSE);
      raw.authenticate(name, token);
    },
  ],
  ['the widest awareness', 1, (raw) => sendAwareness(raw, [5, 1, JSON.stringify(keys(20_000))])],
  ['the deepest awareness', 1, (raw) => sendAwareness(raw, [5, 1, nested(125_000)])],
  ['messages of no known type', 1_000, (raw) => raw.send(name, 42)],
];

describe('a client that endlessly sends', () => {
  it.each(FLOODS)('%s, delays nobody', async (_, times, sendOne) => {
    const { exchange } = await twoOthers();
    const flooders = [await openRaw(), await openRaw(), await openRaw()];
    await expectNoBlock(async () => {
      for (let at = 0; at < times; at++) for (const raw of flooders) sendOne(raw, at);
      for (let round = 0; round < 3; round++) await exchange();
    });
  });

  it('the whole of a large document, without permission to write, delays nobody', async () => {
    const { writer, exchange } = await twoOthers();
    Y.applyUpdate(writer.doc, largeUpdate.subarray(varUint(largeUpdate.length).length));
    await writer.sent(15_000);
    const viewer = await openRaw(viewerToken);
    const all = withLength(Y.encodeStateAsUpdate(writer.doc));
    await expectNoBlock(async () => {
      for (let at = 0; at < 10; at++) viewer.send(name, SYNC, STEP_2, all);
      for (let round = 0; round < 3; round++) await exchange();
      await eventually(() => expect(viewer.confirmations(name)).toHaveLength(10));
    });
  });
});

it('a hundred tabs of one user all receive edits, and are not affected by one that sends too much', async () => {
  const tabs: RawSocket[] = [];
  for (let tab = 0; tab < 100; tab++) tabs.push(await openRaw());
  const { exchange } = await twoOthers();
  await expectNoBlock(async () => {
    // One tab reads slowly, and another one is refused.
    tabs[0]?.socket.pause();
    for (let at = 0; at < 300; at++) tabs[1]?.authenticate(`acme/plan/${at}`, 'no token');
    expect(await tabs[1]?.closed).toEqual({ code: 4429, reason: 'RESOURCE_EXHAUSTED' });
    const others = tabs.slice(2);
    const before = others.map((tab) => tab.received(name, SYNC, UPDATE).length);
    await exchange();
    await eventually(() => {
      for (const [at, tab] of others.entries()) {
        expect(tab.received(name, SYNC, UPDATE).length).toBeGreaterThan(before[at] ?? 0);
      }
    });
  });
});

it('a passage of a large text never blocks the event loop, whatever the quote', async () => {
  const editor = { organizationId: 'acme', documentId: 'plan', editorId };
  const replace = async (quote: string, occurrence?: number) => {
    const data = { ...editor, quote, replacement: 'b', occurrence };
    return (await post(`${server.url}/v2/crdt/replace_range`, { data }, headers.apiKey)).body;
  };
  const text = 'a'.repeat(1_000_000);
  await call('add', { editorId, type: 'text', data: text });
  await expectNoBlock(async () => {
    // A search by `indexOf` takes 12 s.
    const hard = await replace(`${'a'.repeat(32_000)}b${'a'.repeat(32_000)}`);
    expect(hard.error.status).toBe('NOT_FOUND');
    expect((await replace('a')).error.details.occurrences).toBe(text.length);
    expect((await replace('a', 500_000)).error).toBeUndefined();
  });
});

it('subdocuments are stored as names of other documents, and very many are refused, and never block the event loop', async () => {
  const writer = await open(editorId);
  const pages = writer.doc.getMap('pages');
  pages.set('one', new Y.Doc({ guid: 'acme/plan/page-one' }));
  await writer.sent();
  const [page] = [...(await open(editorId)).doc.getSubdocs()];
  expect(page?.guid).toBe('acme/plan/page-one');
  await expectNoBlock(async () => {
    writer.doc.transact(() => {
      for (let at = 0; at < 2_000; at++) pages.set(`${at}`, new Y.Doc());
    });
    await eventually(() => expect(writer.refusals).toEqual(['RESOURCE_EXHAUSTED']));
  });
});

function updateOf(change: (doc: Y.Doc) => void): Uint8Array {
  const doc = new Y.Doc();
  doc.transact(() => change(doc));
  return Y.encodeStateAsUpdate(doc);
}

/** A value with more keys than one may have. */
const wide = keys(60_000);
const [TOO_MUCH, INVALID] = ['RESOURCE_EXHAUSTED', 'INVALID_ARGUMENT'];
const REFUSED: Array<[string, () => Uint8Array, string]> = [
  ['a wide value', () => updateOf((doc) => doc.getMap('content').set('a', wide)), TOO_MUCH],
  ['a wide embed', () => updateOf((doc) => doc.getText('content').insertEmbed(0, wide)), TOO_MUCH],
  ['a wide mark', () => updateOf((doc) => doc.getText().insert(0, 'x', { mark: wide })), TOO_MUCH],
  ['an embed of 1,000 levels', () => deepEmbed(1_000), INVALID],
  ['an embed of 100,000 levels', () => deepEmbed(100_000), INVALID],
];

/** Yjs cannot encode this update. */
function deepEmbed(levels: number): Uint8Array {
  const written = updateOf((doc) => doc.getText('content').insertEmbed(0, { a: 'MARK' }));
  const json = Buffer.from('{"a":"MARK"}');
  const at = Buffer.from(written).indexOf(json);
  return Buffer.concat([
    written.subarray(0, at - 1),
    withLength(nested(levels)),
    written.subarray(at + json.length),
  ]);
}

it.each(REFUSED)('%s is refused, and delays nobody', async (_, of, reason) => {
  const writer = await openRaw();
  await expectNoBlock(async () => {
    writer.send(name, SYNC, UPDATE, withLength(of()));
    await eventually(() => expect(writer.closeReasons(name)).toEqual([reason]));
  });
});

it('thousands of subscriptions that many sockets request at once delay nobody', async () => {
  const requests = Array.from({ length: 290 }, (_, id) => ({
    id,
    method: 'subscription',
    params: { path: 'comments.changes', input: { json: { organizationId: 'acme' } } },
  }));
  const sockets = await Promise.all(
    Array.from({ length: 8 }, async () => {
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
    await eventually(() => expect(answers).toBe(8 * 290));
  });
});

it('thousands of documents that many sockets open with forged tokens delay nobody', async () => {
  const forged = token.replace(/.{5}$/, 'AAAAA');
  const sockets = await Promise.all(Array.from({ length: 40 }, () => RawSocket.open(server.url)));
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
