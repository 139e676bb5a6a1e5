import { once } from 'node:events';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { WebSocket } from 'ws';
import * as Y from 'yjs';
import { type Editor, makePlan, openEditor, userToken } from '../support/editors.ts';
import { eventually } from '../support/eventually.ts';
import { withLength } from '../support/raw-socket.ts';
import { startTestServer } from '../support/server.ts';

let count = 0;
let name: string;
let witness: Editor;
const server = await startTestServer();
await makePlan(server);
const token = await userToken(server, 'eve', { accessRole: 'editor' });
const viewerToken = await userToken(server, 'vi', { accessRole: 'viewer' });

/** Everything written to the console, which must be nothing. */
const printed: unknown[][] = [];
beforeEach(async () => {
  name = `acme/plan/fuzzed-${++count}`;
  witness = await openEditor({ url: server.url, name, token });
  for (const method of ['error', 'warn', 'log', 'info'] as const) {
    vi.spyOn(console, method).mockImplementation((...text) => void printed.push(text));
  }
});
afterEach(() => {
  vi.restoreAllMocks();
  expect(printed.splice(0)).toEqual([]);
});

const bytes = (content: Uint8Array | string) => [...withLength(content)];

/** A client with access that can send any message. */
async function letIn(as = token) {
  const socket = new WebSocket(`${server.url.replace(/^http/, 'ws')}/collaboration`);
  const heard: Buffer[] = [];
  let isClosed = false;
  socket.on('message', (data: Buffer) => heard.push(data));
  socket.on('close', () => {
    isClosed = true;
  });
  socket.on('error', () => undefined);
  await once(socket, 'open');
  const say = (...message: number[]) => socket.send(Buffer.from([...bytes(name), ...message]));
  say(2, 0, ...bytes(as));
  await eventually(() => expect(heard.length).toBeGreaterThan(0));
  const head = bytes(name).length;
  return {
    socket,
    say,
    /** The reasons for which connections to the document were closed. */
    goodbyes: () =>
      heard
        .map((data) => data.subarray(head))
        .filter(([type]) => type === 7)
        .map((data) => String(data.subarray(2))),
    isOver: () =>
      isClosed ||
      heard.some((data) => data[head] === 7 || (data[head] === 2 && data[head + 1] === 1)),
  };
}

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
  ])('%s closes its connection with the reason', async (_, message) => {
    const { say, goodbyes } = await letIn();
    say(...message);
    await eventually(() => expect(goodbyes()).toEqual(['INVALID_ARGUMENT']));
    await stillServes();
  });

  it('that is large closes its connection too', async () => {
    const { say, goodbyes } = await letIn();
    say(0, 2, ...bytes(Buffer.alloc(100_000, 255)));
    await eventually(() => expect(goodbyes()).toEqual(['INVALID_ARGUMENT']));
    await stillServes();
  });

  it('of a viewer closes the connection of the viewer', async () => {
    const { say, goodbyes } = await letIn(viewerToken);
    say(0, 1, ...bytes(Uint8Array.of(200, 200, 200)));
    await eventually(() => expect(goodbyes()).toEqual(['INVALID_ARGUMENT']));
  });

  it('before the token is ignored, and an invalid frame closes the socket', async () => {
    const socket = new WebSocket(`${server.url.replace(/^http/, 'ws')}/collaboration`);
    await once(socket, 'open');
    socket.send(Buffer.from([...bytes(name), 42]));
    socket.send(Buffer.from([200]));
    const [code] = await once(socket, 'close');
    expect(code).toBe(1002);
    const chatty = new WebSocket(`${server.url.replace(/^http/, 'ws')}/collaboration`);
    await once(chatty, 'open');
    chatty.send('text');
    expect((await once(chatty, 'close'))[0]).toBe(1003);
  });
});

it('edits that depend on missing ones are not kept forever', async () => {
  const { say, goodbyes } = await letIn();
  const doc = new Y.Doc();
  doc.getText('content').insert(0, 'withheld');
  for (let part = 0; part < 5; part++) {
    const before = Y.encodeStateVector(doc);
    doc.getText('content').insert(3, 'x'.repeat(60_000));
    say(0, 2, ...bytes(Y.encodeStateAsUpdate(doc, before)));
  }
  await eventually(() => expect(goodbyes()).toEqual(['RESOURCE_EXHAUSTED']));
  await stillServes();
});

it('a malformed token, and stateless messages have no effect, in any encoding', async () => {
  const { say, isOver } = await letIn();
  for (const message of [[2], [2, 0], [2, 7, 200], [5], [5, 200], [5, ...bytes('hi')], [3]]) {
    say(...message);
  }
  say(0, 2, ...bytes(goodUpdate()));
  await eventually(() => expect(witness.text.toString()).toContain('H'));
  expect(isOver()).toBe(false);
});
