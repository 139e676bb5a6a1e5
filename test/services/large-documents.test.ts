import { expect, it } from 'vitest';
import * as Y from 'yjs';
import { connect, words } from '../support/editors.ts';
import { eventually } from '../support/eventually.ts';
import { watchedServer } from '../support/processes.ts';
import { RawSocket, STEP_1, STEP_2, SYNC, withLength } from '../support/raw-socket.ts';

const NODES = 30_000;
const watched = await watchedServer({ BODY_LIMIT_BYTES: '20000000' });
const { server, token, viewerToken, open, call, watchStages, expectNoBlock } = watched;

const openRaw = (name: string, as = token) => RawSocket.openWithAccess(server.url, name, as);

/** Random letters, which have chance similarities everywhere and no words. */
const noise = (seed: number, length: number) => {
  const letters: string[] = [];
  for (let at = seed; letters.length < length; at = (at * 48_271) % 2_147_483_647) {
    letters.push(String.fromCharCode(97 + ((at >> 8) % 26)));
  }
  return letters.join('');
};
const numbers = Array.from({ length: NODES }, (_, at) => at);
const paragraphs = numbers.slice(NODES / 2);
const deep = (value: unknown) =>
  Array.from({ length: 60 }).reduce((inner) => ({ a: inner }), value);

let count = 0;
it.each<[string, string, (seed: number) => unknown]>([
  ['very long text', 'text', (seed) => words(seed, 4_900_000)],
  ['noise', 'text', (seed) => noise(seed, 2_000_000)],
  ['map', 'map', (seed) => Object.fromEntries(numbers.map((at) => [`key ${at}`, at * seed]))],
  ['array', 'array', (seed) => numbers.map((at) => `value ${at * seed}`)],
  ['deep', 'array', (seed) => numbers.slice(0, NODES / 61).map((at) => deep(at * seed))],
  ['xml', 'xml', (seed) => paragraphs.map((at) => `<p>${at * seed}</p>`).join('')],
])(
  'large content (%s) never blocks the event loop',
  // Only blocking by the work itself happens every time.
  { retry: 2, timeout: 120_000 },
  async (_, type, of) => {
    const editorId = `large-${++count}`;
    const { watch, slow } = watchStages();
    const watched = (verb: string, data?: unknown) =>
      watch(`crdt/${verb}`, () => call(verb, { editorId, type, data }));
    await watched('add', of(1));
    await watched('update', of(2));
    const reader = connect({ url: server.url, name: `acme/plan/${editorId}`, token });
    await watch('opening', () => eventually(() => expect(reader.provider.synced).toBe(true)));
    await watched('update', of(3));
    await watched('get');
    await watched('delete');
    expect(slow()).toEqual([]);
  },
);

it('shared texts in a map never block the event loop, whatever replaces them', async () => {
  const map = { editorId: 'shared', type: 'map', contentKey: 'texts' };
  await call('add', { ...map, data: {} });
  const writer = await open('shared');
  for (const n of [1, 2]) writer.doc.getMap('texts').set(`${n}`, new Y.Text(noise(n, 80_000)));
  await writer.sent(30_000);
  const data = { 1: noise(3, 80_000), 2: noise(4, 80_000) };
  await expectNoBlock(() => call('update', { ...map, data }));
});

const paste = ({ doc }: { doc: Y.Doc }) =>
  doc.transact(() => {
    for (const at of numbers) doc.getMap('pasted').set(`${at}`, at);
  });

it('a large paste never blocks the event loop', async () => {
  const writer = await open('pasted');
  await expectNoBlock(async () => {
    paste(writer);
    await writer.sent(30_000);
  });
});

it('an edit in very many places never blocks the event loop', async () => {
  const writer = await open('replaced');
  writer.text.insert(0, 'ab'.repeat(12_000));
  paste(writer);
  await writer.sent(30_000);
  await expectNoBlock(async () => {
    writer.doc.transact(() => {
      // From the end, which takes Yjs a tenth of the time.
      for (let at = 12_000; at-- > 0; ) writer.text.delete(2 * at, 1);
    });
    await writer.sent(30_000);
  });
});

const keys = (count: number) =>
  Object.fromEntries(Array.from({ length: count }, (_, at) => [`k${at}`, at]));

const ROOT = 'hostile';
const rootOf = {
  map: (doc: Y.Doc) => doc.getMap(ROOT),
  array: (doc: Y.Doc) => doc.getArray(ROOT),
  text: (doc: Y.Doc) => doc.getText(ROOT),
  xml: (doc: Y.Doc) => doc.getXmlFragment(ROOT),
};
type Kind = keyof typeof rootOf;

function empty(doc: Y.Doc, kind: Kind): void {
  if (kind === 'map') doc.getMap(ROOT).clear();
  else rootOf[kind](doc).delete(0, rootOf[kind](doc).length);
}

function addMarks(doc: Y.Doc): void {
  const delta = Array.from({ length: 50_000 }, (_, at) =>
    at % 2 ? { insert: 'x', attributes: { bold: true } } : { insert: 'y' },
  );
  doc.getText(ROOT).applyDelta(delta);
}

function addAttributes(doc: Y.Doc): void {
  const element = new Y.XmlElement('p');
  doc.getXmlFragment(ROOT).insert(0, [element]);
  for (let at = 0; at < 50_000; at++) element.setAttribute(`a${at}`, `${at}`);
}

function addItems(doc: Y.Doc): void {
  const text = doc.getText(ROOT);
  for (let at = 0; at < 40_000; at++) text.insert(at % 2 ? 0 : text.length, 'x'.repeat(50));
}

const addValues = (doc: Y.Doc) =>
  doc.getArray(ROOT).push(Array.from({ length: 90 }, () => keys(1_000)));

// Content that a client may send in one update.
it.each<[string, Kind, (doc: Y.Doc) => void]>([
  ['a value with 20,000 keys', 'map', (doc) => doc.getMap(ROOT).set('a', keys(20_000))],
  ['an array of values with 90,000 keys together', 'array', addValues],
  ['a text with 100,000 formatting marks', 'text', addMarks],
  ['an element with 50,000 attributes', 'xml', addAttributes],
  ['2 MB of bytes', 'map', (doc) => doc.getMap(ROOT).set('a', new Uint8Array(2_000_000).fill(7))],
  ['an embed of 300 KB', 'text', (doc) => doc.getText(ROOT).insertEmbed(0, keys(20_000))],
  ['a text of 2 MB in 40,000 items', 'text', addItems],
])(
  'hostile content (%s) delays nobody',
  // Only blocking by the work itself happens every time.
  { retry: 2, timeout: 180_000 },
  async (_, kind, change) => {
    const editorId = `taken-${++count}`;
    const name = `acme/plan/${editorId}`;
    const { watch, slow } = watchStages();
    const content = new Y.Doc();
    content.transact(() => change(content));
    const all = withLength(Y.encodeStateAsUpdate(content));
    const witness = await open(editorId, { token: viewerToken });
    const writer = await openRaw(name);
    const acknowledged = (raw: RawSocket, times: number) =>
      eventually(() => expect(raw.confirmations(name)).toHaveLength(times), 60_000);
    for (const times of [1, 2]) {
      await watch(`step 2, ${times}`, async () => {
        writer.send(name, SYNC, STEP_2, all);
        await acknowledged(writer, times);
      });
    }
    await watch('step 2 of a viewer', async () => {
      const viewer = await openRaw(name, viewerToken);
      viewer.send(name, SYNC, STEP_2, all);
      await acknowledged(viewer, 1);
    });
    await watch('step 1', async () => {
      writer.send(name, SYNC, STEP_1, withLength(Y.encodeStateVector(new Y.Doc())));
      await eventually(() => expect(writer.received(name, SYNC, STEP_2).length).toBeGreaterThan(0));
    });
    const editor = await open(editorId);
    await watch('typing', async () => {
      editor.text.insert(0, 'a', { italic: true });
      await editor.sent(30_000);
    });
    await watch('get', () => call('get', { editorId, contentKey: ROOT, type: kind }));
    const { versionId } = await watch('create', () => call('versions/create', { editorId }));
    await watch('deleting', async () => {
      editor.doc.transact(() => empty(editor.doc, kind));
      await editor.sent(30_000);
    });
    await watch('restore', () => call('versions/restore', { editorId, versionId }));
    await eventually(() =>
      expect(Y.encodeStateVector(witness.doc)).toEqual(Y.encodeStateVector(editor.doc)),
    );
    expect(slow()).toEqual([]);
  },
);
