import fc from 'fast-check';
import * as Y from 'yjs';
import { RawSocket, varUint, withLength } from '../raw-socket.ts';

/** The messages of one connection after its token. */
export interface SocketSession {
  document: string;
  messages: number[][];
}

const bytes = (content: Uint8Array | string): number[] => [...withLength(content)];

const UPDATES = [
  (doc: Y.Doc) => doc.getText('content').insert(0, 'Hello'),
  (doc: Y.Doc) => doc.getMap('map').set('a', [1, { b: new Uint8Array(3) }]),
  (doc: Y.Doc) => doc.getXmlFragment('default').insert(0, [new Y.XmlElement('p')]),
].map((change) => {
  const doc = new Y.Doc();
  change(doc);
  return Y.encodeStateAsUpdate(doc);
});

const noise = fc.uint8Array({ maxLength: 60 });
const changed = fc
  .tuple(fc.constantFrom(...UPDATES), fc.array(fc.tuple(fc.nat(), fc.nat(255)), { maxLength: 4 }))
  .map(([update, changes]) => {
    const copy = Uint8Array.from(update);
    for (const [at, to] of changes) copy[at % copy.length] = to;
    return copy;
  });
const syncs = fc
  .tuple(fc.constantFrom([0, 0], [0, 1], [0, 2], [0, 3], [4, 0], [4, 1]), fc.oneof(noise, changed))
  .map(([kind, content]) => [...kind, ...bytes(content)]);

/** Awareness states, of which some are not JSON. */
const states = fc.oneof(
  fc.jsonValue({ maxDepth: 3 }).map((value) => JSON.stringify(value)),
  fc.constantFrom('', '{', 'null', '5', '[]', '{"__proto__":{"a":1}}', '{"user":{"userId":5}}'),
  fc.constantFrom('['.repeat(5_000), `"${'x'.repeat(5_000)}"`),
);
const awareness = fc
  .array(fc.tuple(fc.nat(), fc.nat(), states), { maxLength: 4 })
  .map((clients) => {
    const entries = clients.flatMap(([id, clock, state]) => [
      ...varUint(id),
      ...varUint(clock),
      ...bytes(state),
    ]);
    return [1, ...bytes(Uint8Array.from([...varUint(clients.length), ...entries]))];
  });
const others = fc
  .tuple(fc.constantFrom(2, 3, 5, 6, 7, 8, 9, 42), noise)
  .map(([type, content]) => [type, ...content]);
const messages = fc.oneof(
  syncs,
  awareness,
  others,
  noise.map((content) => [...content]),
);

const documents = fc.constantFrom(
  'acme/plan/fuzzed',
  'acme/plan/other',
  'acme/none/x',
  'a',
  '%',
  '',
);

export const socketSessions: fc.Arbitrary<SocketSession> = fc.record({
  document: documents,
  messages: fc.array(messages, { maxLength: 25 }),
});

/** Sends all messages, and closes the connection. */
export async function speak(
  url: string,
  token: string,
  { document, messages }: SocketSession,
): Promise<void> {
  const raw = await RawSocket.open(url);
  raw.authenticate(document, token);
  // The server may close the connection while this still sends.
  for (const message of messages) {
    raw.send(document, ...message);
    await new Promise(setImmediate);
  }
  raw.socket.close();
  await raw.closed;
}
