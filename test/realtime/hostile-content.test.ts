import { describe, expect, it } from 'vitest';
import * as Y from 'yjs';
import { userToken } from '../support/editors.ts';
import { eventually } from '../support/eventually.ts';
import { watchedServer } from '../support/processes.ts';
import {
  AWARENESS,
  frameOf,
  RawSocket,
  STEP_1,
  STEP_2,
  SYNC,
  UPDATE,
  varUint,
  withLength,
} from '../support/raw-socket.ts';

const watched = await watchedServer({ BODY_LIMIT_BYTES: '20000000' });
const { server, headers, token, open, call, watchStages, expectNoBlock } = watched;
const viewerToken = await userToken({ url: server.url, keyHeaders: headers.apiKey }, 'vi', {
  accessRole: 'viewer',
});

const letIn = (name: string, as = token) => RawSocket.letIn(server.url, name, as);

const keys = (count: number) =>
  Object.fromEntries(Array.from({ length: count }, (_, at) => [`k${at}`, at]));

function updateOf(change: (doc: Y.Doc) => void): Uint8Array {
  const doc = new Y.Doc();
  doc.transact(() => change(doc));
  return Y.encodeStateAsUpdate(doc);
}

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

/** Content that a client may send in one update. */
const TAKEN: Array<[string, Kind, (doc: Y.Doc) => void]> = [
  ['a value with 20,000 keys', 'map', (doc) => doc.getMap(ROOT).set('a', keys(20_000))],
  [
    'an array of values with 90,000 keys together',
    'array',
    (doc) => doc.getArray(ROOT).push(Array.from({ length: 90 }, () => keys(1_000))),
  ],
  [
    'a text with 100,000 formatting marks',
    'text',
    (doc) => {
      const delta = Array.from({ length: 50_000 }, (_, at) =>
        at % 2 ? { insert: 'x', attributes: { bold: true } } : { insert: 'y' },
      );
      doc.getText(ROOT).applyDelta(delta);
    },
  ],
  [
    'an element with 50,000 attributes',
    'xml',
    (doc) => {
      const element = new Y.XmlElement('p');
      doc.getXmlFragment(ROOT).insert(0, [element]);
      for (let at = 0; at < 50_000; at++) element.setAttribute(`a${at}`, `${at}`);
    },
  ],
  ['2 MB of bytes', 'map', (doc) => doc.getMap(ROOT).set('a', new Uint8Array(2_000_000).fill(7))],
  ['an embed of 300 KB', 'text', (doc) => doc.getText(ROOT).insertEmbed(0, keys(20_000))],
  [
    'a text of 2 MB in 40,000 items',
    'text',
    (doc) => {
      const text = doc.getText(ROOT);
      for (let at = 0; at < 40_000; at++) text.insert(at % 2 ? 0 : text.length, 'x'.repeat(50));
    },
  ],
];

const REFUSED: Array<[string, () => Uint8Array, string]> = [
  [
    'a value with 400,000 keys',
    () => updateOf((doc) => doc.getMap(ROOT).set('a', keys(400_000))),
    'RESOURCE_EXHAUSTED',
  ],
  [
    'an embed with 60,000 keys',
    () => updateOf((doc) => doc.getText(ROOT).insertEmbed(0, keys(60_000))),
    'RESOURCE_EXHAUSTED',
  ],
  [
    'a mark with 60,000 keys',
    () => updateOf((doc) => doc.getText(ROOT).insert(0, 'x', { mark: keys(60_000) })),
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

describe('hostile content', () => {
  let count = 0;
  it.each(TAKEN)(
    '%s delays nobody',
    // Only blocking by the work itself happens every time.
    { retry: 2, timeout: 180_000 },
    async (_, kind, change) => {
      const editorId = `taken-${++count}`;
      const name = `acme/plan/${editorId}`;
      const { watch, slow } = watchStages();
      const all = withLength(updateOf(change));
      const witness = await open(editorId, { token: viewerToken });
      const writer = await letIn(name);
      const acknowledged = (raw: RawSocket, times: number) =>
        eventually(() => expect(raw.received(name, 8, 1)).toHaveLength(times), 60_000);
      await watch('step 2', async () => {
        writer.send(name, SYNC, STEP_2, all);
        await acknowledged(writer, 1);
      });
      await watch('step 2 again', async () => {
        writer.send(name, SYNC, STEP_2, all);
        await acknowledged(writer, 2);
      });
      await watch('step 2 of a viewer', async () => {
        const viewer = await letIn(name, viewerToken);
        viewer.send(name, SYNC, STEP_2, all);
        await acknowledged(viewer, 1);
      });
      await watch('step 1', async () => {
        writer.send(name, SYNC, STEP_1, withLength(Y.encodeStateVector(new Y.Doc())));
        await eventually(() =>
          expect(writer.received(name, SYNC, STEP_2).length).toBeGreaterThan(0),
        );
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

  it.each(REFUSED)(
    '%s is refused, and delays nobody',
    async (_, of, reason) => {
      const name = `acme/plan/refused-${++count}`;
      const writer = await letIn(name);
      await expectNoBlock(async () => {
        writer.send(name, SYNC, UPDATE, withLength(of()));
        await eventually(() => expect(writer.closeReasons(name)).toEqual([reason]));
      });
    },
    60_000,
  );

  it('the largest awareness, deep or wide, delays nobody', async () => {
    const name = 'acme/plan/awareness';
    const writer = await letIn(name);
    const state = (json: string) =>
      withLength(Buffer.concat([Buffer.from([1, ...varUint(5), ...varUint(1)]), withLength(json)]));
    const levels = 125_000;
    await expectNoBlock(async () => {
      writer.send(name, AWARENESS, state(`{"a":${'['.repeat(levels)}${']'.repeat(levels)}}`));
      writer.send(name, AWARENESS, state(JSON.stringify(keys(20_000))));
      writer.send(name, SYNC, STEP_2, withLength(Y.encodeStateAsUpdate(new Y.Doc())));
      await eventually(() => expect(writer.received(name, 8, 1)).toHaveLength(1));
    });
  }, 60_000);

  it('a thousand small messages at once delay nobody', async () => {
    const name = 'acme/plan/burst';
    const writer = await letIn(name);
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
      await eventually(() => expect(writer.received(name, 8, 1)).toHaveLength(1_000));
    });
  }, 60_000);
});
