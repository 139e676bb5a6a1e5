import { once } from 'node:events';
import { beforeEach, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import * as Y from 'yjs';
import { fresh } from '../support/answers.ts';
import type { Editor } from '../support/editors.ts';
import { eventually } from '../support/eventually.ts';
import { watchedServer } from '../support/processes.ts';
import {
  AWARENESS,
  CLOSE,
  frameOf,
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
let name: string;
let editorId: string;
const { server, headers, token, viewerToken, open, call, expectNoBlock } = await watchedServer();
beforeEach(() => {
  editorId = fresh('flooded');
  name = `acme/plan/${editorId}`;
});

const openRaw = (as = token) => RawSocket.openWithAccess(server.url, name, as);

/** Two users of the document. `exchange` waits until an edit of one has reached the other. */
async function twoOthers(): Promise<{ writer: Editor; exchange: () => Promise<void> }> {
  const [writer, reader] = [await open(editorId), await open(editorId)];
  const exchange = async () => {
    writer.doc.getMap('others').set('at', performance.now());
    const expected = writer.doc.getMap('others').get('at');
    await eventually(() => expect(reader.doc.getMap('others').get('at')).toBe(expected));
    expect((await fetch(`${server.url}/healthz`)).status).toBe(200);
  };
  return { writer, exchange };
}

const fiveMegabytes = async ({ text, sent }: Editor) => {
  text.insert(0, 'five '.repeat(1_000_000));
  await sent(30_000);
};

it('a client that requests a large document endlessly gets one answer at a time, and delays nobody', async () => {
  const { writer, exchange } = await twoOthers();
  await fiveMegabytes(writer);
  const flooder = await openRaw();
  await expectNoBlock(async () => {
    for (let count = 0; count < 1_000; count++) flooder.send(name, SYNC, STEP_1, NOTHING);
    for (let round = 0; round < 3; round++) await exchange();
    flooder.send(name, SYNC, STEP_1, NOTHING);
    // An edit sent after the questions is confirmed once they are answered.
    flooder.send(name, SYNC, STEP_2, withLength(Y.encodeStateAsUpdate(new Y.Doc())));
    await eventually(() => expect(flooder.confirmations(name)).toHaveLength(1), 60_000);
  });
  const answers = flooder.received(name, SYNC, STEP_2);
  expect(answers.length).toBeLessThan(100);
  const last = answers.at(-1);
  expect(last?.length).toBeGreaterThan(5_000_000);
}, 120_000);

/** The entry for one Yjs client in an awareness message. */
const stateOf = (clientId: number, clock: number, state: object) =>
  Buffer.concat([
    Buffer.from([...varUint(clientId), ...varUint(clock)]),
    withLength(JSON.stringify(state)),
  ]);
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
  [
    'large awareness',
    1_000,
    (raw, at) =>
      raw.send(
        name,
        AWARENESS,
        withLength(Buffer.concat([Buffer.from([1]), stateOf(7, at + 1, { large })])),
      ),
  ],
  [
    'awareness of many clients',
    1_000,
    (raw, at) => {
      const states = Array.from({ length: 100 }, (_, n) => stateOf(at * 100 + n + 1, 1, { n }));
      raw.send(name, AWARENESS, withLength(Buffer.concat([Buffer.from([100]), ...states])));
    },
  ],
  ['questions for awareness', 4_000, (raw) => raw.send(name, QUERY_AWARENESS)],
  ['stateless messages', 1_000, (raw) => raw.send(name, STATELESS, withLength(large))],
  ['tokens', 4_000, (raw) => raw.authenticate(name, token)],
  ['all of a large document', 30, (raw) => raw.send(name, SYNC, STEP_2, largeUpdate)],
  [
    'edits without content',
    4_000,
    (raw) => raw.send(name, SYNC, UPDATE, withLength(Uint8Array.of(0, 0))),
  ],
  [
    'closings and tokens',
    400,
    (raw) => {
      raw.send(name, CLOSE);
      raw.authenticate(name, token);
    },
  ],
  ['messages of no known type', 2_000, (raw) => raw.send(name, 42)],
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

it('very many subdocuments are refused, and never block the event loop', async () => {
  const writer = await open(editorId);
  await expectNoBlock(async () => {
    writer.doc.transact(() => {
      const map = writer.doc.getMap('pages');
      for (let at = 0; at < 8_000; at++) map.set(`${at}`, new Y.Doc());
    });
    await eventually(() => expect(writer.refusals).toEqual(['RESOURCE_EXHAUSTED']));
  });
});

it('a few subdocuments are stored as what they are: names of other documents', async () => {
  const writer = await open(editorId);
  writer.doc.getMap('pages').set('one', new Y.Doc({ guid: 'acme/plan/page-one' }));
  await writer.sent();
  const [page] = [...(await open(editorId)).doc.getSubdocs()];
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

it.each(REFUSED)('%s is refused, and delays nobody', async (_, of, reason) => {
  const writer = await openRaw();
  await expectNoBlock(async () => {
    writer.send(name, SYNC, UPDATE, withLength(of()));
    await eventually(() => expect(writer.closeReasons(name)).toEqual([reason]));
  });
});

it('the largest awareness, deep or wide, delays nobody', async () => {
  const writer = await openRaw();
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
  const writer = await openRaw();
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
