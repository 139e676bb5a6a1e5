import * as Y from 'yjs';

/** Items that are written in one go: some milliseconds. */
const ITEMS_A_TURN = 5_000;

/**
 * What a document holds beyond a state vector, as one update like `encodeStateAsUpdate`, with room
 * for others in between. What they write meanwhile may be in it or not: who asks gets that anyway.
 */
export async function encodeInTurns(doc: Y.Doc, stateVector: Uint8Array): Promise<Uint8Array> {
  const known = Y.decodeStateVector(stateVector);
  const turns = { room: ITEMS_A_TURN };
  const sections: Uint8Array[] = [];
  for (const [client, structs] of [...doc.store.clients]) {
    const from = known.get(client) ?? 0;
    const to = Y.getState(doc.store, client);
    if (from < to) sections.push(...(await sectionOf(structs, { from, to }, turns)));
  }
  const count = new Y.UpdateEncoderV1();
  count.writeLen(sections.length / 2);
  return Buffer.concat([count.toUint8Array(), ...sections, deletionsOf(doc)]);
}

/** The items of one client: how many there are, and then what they are. */
async function sectionOf(
  structs: (Y.Item | Y.GC)[],
  { from, to }: { from: number; to: number },
  turns: { room: number },
): Promise<Uint8Array[]> {
  const items = new Y.UpdateEncoderV1();
  let [count, clock] = [0, from];
  while (clock < to) {
    // Items may have been joined, or parted, since the last turn.
    const first = Y.findIndexSS(structs, clock);
    for (const struct of structs.slice(first, first + turns.room)) {
      if (struct.id.clock >= to) break;
      struct.write(items, Math.max(0, clock - struct.id.clock));
      clock = struct.id.clock + struct.length;
      count++;
      turns.room--;
    }
    if (turns.room > 0) continue;
    turns.room = ITEMS_A_TURN;
    await new Promise((resolve) => setImmediate(resolve));
  }
  const head = new Y.UpdateEncoderV1();
  head.writeLen(count);
  head.writeClient(structs[0]?.id.client ?? 0);
  head.writeLen(from);
  return [head.toUint8Array(), items.toUint8Array()];
}

function deletionsOf(doc: Y.Doc): Uint8Array {
  const encoder = new Y.UpdateEncoderV1();
  const { clients } = Y.createDeleteSetFromStructStore(doc.store);
  encoder.writeLen(clients.size);
  for (const [client, ranges] of clients) {
    encoder.resetDsCurVal();
    encoder.writeLen(client);
    encoder.writeLen(ranges.length);
    for (const { clock, len } of ranges) {
      encoder.writeDsClock(clock);
      encoder.writeDsLen(len);
    }
  }
  return encoder.toUint8Array();
}
