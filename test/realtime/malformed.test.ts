import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { WebSocket } from 'ws';
import * as Y from 'yjs';
import { fresh } from '../support/answers.ts';
import { type Editor, planServer } from '../support/editors.ts';
import { eventually } from '../support/eventually.ts';
import { RawSocket, STEP_1, STEP_2, SYNC, UPDATE, withLength } from '../support/raw-socket.ts';

let name: string;
let witness: Editor;
const { server, token, viewerToken, open } = await planServer();

/** Everything written to the console, which must be nothing. */
const printed: unknown[][] = [];
beforeEach(async () => {
  const editorId = fresh('fuzzed');
  name = `acme/plan/${editorId}`;
  witness = await open(editorId);
  for (const method of ['error', 'warn', 'log', 'info'] as const) {
    vi.spyOn(console, method).mockImplementation((...text) => void printed.push(text));
  }
});
afterEach(() => expect(printed.splice(0)).toEqual([]));

const bytes = (content: Uint8Array | string) => [...withLength(content)];

const openRaw = (as = token) => RawSocket.openWithAccess(server.url, name, as);

const isRefused = (raw: RawSocket) =>
  eventually(() => expect(raw.closeReasons(name)).toEqual(['INVALID_ARGUMENT']));

const stillServes = async () => {
  const before = witness.text.toString();
  witness.text.insert(0, 'x');
  await witness.sent();
  expect(witness.text.toString()).toBe(`x${before}`);
};

const goodUpdate = () => {
  const doc = new Y.Doc();
  doc.getText('content').insert(0, 'Hello');
  doc.getMap('map').set('a', [1, { b: new Uint8Array(3) }]);
  doc.getXmlFragment('default').insert(0, [new Y.XmlElement('p')]);
  doc.getText('content').delete(1, 2);
  return Y.encodeStateAsUpdate(doc);
};

describe('a malformed message', () => {
  it.each([
    ['of no known type', [42]],
    ['of no known kind of sync', [0, 9, 0]],
    ['that ends too early', [0, 2, 200]],
    ['with an update that is none', [0, 2, ...bytes(Uint8Array.of(1, 1, 1, 99, 99, 99))]],
    ['with an answer that is none', [0, 1, ...bytes(Uint8Array.of(200, 200, 200))]],
    ['with a state vector that is none', [0, 0, ...bytes(Uint8Array.of(9, 200))]],
    ['with awareness that is no JSON', [1, ...bytes(Uint8Array.of(1, 1, 1, 1, 123))]],
    ['with awareness that is no object', [1, ...bytes(Uint8Array.of(1, 1, 1, 1, 55))]],
    ['that only servers send each other', [6, ...bytes('psst')]],
    ['that is large', [SYNC, UPDATE, withLength(Buffer.alloc(100_000, 255))]],
  ])('%s closes its connection with the reason', async (_, message) => {
    const raw = await openRaw();
    raw.send(name, ...message);
    await isRefused(raw);
    await stillServes();
  });

  it('of a viewer closes the connection of the viewer', async () => {
    const raw = await openRaw(viewerToken);
    raw.send(name, SYNC, STEP_2, withLength(Uint8Array.of(200, 200, 200)));
    await isRefused(raw);
  });

  it('before the token is ignored, and an invalid frame closes the socket', async () => {
    const raw = await RawSocket.open(server.url);
    raw.send(name, 42);
    raw.socket.send(Buffer.from([200]));
    expect((await raw.closed).code).toBe(1002);
    const chatty = await RawSocket.open(server.url);
    chatty.socket.send('text');
    expect((await chatty.closed).code).toBe(1003);
  });
});

it('edits that depend on missing ones are not kept forever', async () => {
  const raw = await openRaw();
  const doc = new Y.Doc();
  doc.getText('content').insert(0, 'withheld');
  for (let part = 0; part < 5; part++) {
    const before = Y.encodeStateVector(doc);
    doc.getText('content').insert(3, 'x'.repeat(60_000));
    raw.send(name, SYNC, UPDATE, withLength(Y.encodeStateAsUpdate(doc, before)));
  }
  expect(await raw.closed).toEqual({ code: 4429, reason: 'RESOURCE_EXHAUSTED' });
  await stillServes();
});

it('an edit that depends on a missing one is confirmed once somebody else has brought that', async () => {
  const raw = await openRaw();
  const doc = new Y.Doc();
  doc.getText('content').insert(0, 'a');
  const missing = Y.encodeStateAsUpdate(doc);
  doc.getText('content').insert(1, 'b');
  const edit = Y.encodeStateAsUpdate(doc, Y.encodeStateVectorFromUpdate(missing));
  raw.send(name, SYNC, UPDATE, withLength(edit));
  await stillServes();
  expect(raw.confirmations(name)).toEqual([]);
  Y.applyUpdate(witness.doc, missing);
  await eventually(() => expect(witness.text.toString()).toContain('ab'));
  await eventually(() => expect(raw.confirmations(name)).toHaveLength(1));
});

it('edits that a client made offline are confirmed only with its whole state', async () => {
  const raw = await openRaw();
  const [doc, offline] = [new Y.Doc(), new Y.Doc()];
  offline.getText('content').insert(0, 'made offline');
  // A client sends such edits and then its state, and expects one confirmation in all.
  raw.send(name, SYNC, STEP_1, withLength(Y.encodeStateVector(doc)));
  raw.send(name, SYNC, UPDATE, withLength(Y.encodeStateAsUpdate(offline)));
  await eventually(() => expect(witness.text.toString()).toContain('made offline'));
  await stillServes();
  expect(raw.confirmations(name)).toEqual([]);
  raw.send(name, SYNC, STEP_2, withLength(Y.encodeStateAsUpdate(offline)));
  await eventually(() => expect(raw.confirmations(name)).toHaveLength(2));
});

it('a malformed token, and stateless messages have no effect and reach nobody, in any encoding', async () => {
  const raw = await openRaw();
  const heard: string[] = [];
  witness.provider.on('stateless', ({ payload }: { payload: string }) => heard.push(payload));
  for (const message of [[2], [2, 0], [2, 7, 200], [5], [5, 200], [5, ...bytes('hi')], [3]]) {
    raw.send(name, ...message);
  }
  raw.send(name, SYNC, UPDATE, withLength(goodUpdate()));
  await eventually(() => expect(witness.text.toString()).toContain('H'));
  expect([raw.closeReasons(name), raw.socket.readyState, heard]).toEqual([[], WebSocket.OPEN, []]);
});
