import * as Y from 'yjs';
import {
  encodeDeletions,
  rightPartOf,
  writeClientHeader,
} from '../../features/crdt/update-encoding.ts';
import { countWithin, weightOf } from '../../features/crdt/value-weight.ts';
import { nextLongTurn } from '../../platform/event-loop.ts';

/** How many items are encoded in one turn, which takes a few milliseconds. */
const ITEMS_PER_TURN = 5_000;
/** A text of this length counts as one item. */
const TEXT_LENGTH_PER_ITEM = 64;

/** A state vector without clients. */
export const EMPTY_STATE_VECTOR = Uint8Array.of(0);

/**
 * Encodes the content beyond a state vector, as `encodeStateAsUpdate` does, but in several turns. Edits
 * made meanwhile may be missing from the update. Its receiver gets them by broadcast.
 */
export async function encodeInTurns(doc: Y.Doc, stateVector: Uint8Array): Promise<Uint8Array> {
  const known = Y.decodeStateVector(stateVector);
  const turn = { itemsLeft: ITEMS_PER_TURN };
  await nextLongTurn();
  const sections: Uint8Array[] = [];
  for (const [client, structs] of [...doc.store.clients]) {
    const from = known.get(client) ?? 0;
    const to = Y.getState(doc.store, client);
    if (from < to) sections.push(...(await sectionsOf(structs, { from, to }, turn)));
  }
  // Each client has two sections: a head, and its items.
  const clientCount = new Y.UpdateEncoderV1();
  clientCount.writeLen(sections.length / 2);
  await nextLongTurn();
  const deletions = encodeDeletions(Y.createDeleteSetFromStructStore(doc.store));
  return Buffer.concat([clientCount.toUint8Array(), ...sections, deletions]);
}

/** Encodes the items of one client: a head with their number, and then the items. */
async function sectionsOf(
  structs: (Y.Item | Y.GC)[],
  { from, to }: { from: number; to: number },
  turn: { itemsLeft: number },
): Promise<Uint8Array[]> {
  const items = new Y.UpdateEncoderV1();
  let count = 0;
  let clock = from;
  while (clock < to) {
    // Yjs may have merged or split items since the last turn, so the item is looked up by its clock.
    const first = Y.findIndexSS(structs, clock);
    for (const struct of structs.slice(first, first + ITEMS_PER_TURN)) {
      if (struct.id.clock >= to || turn.itemsLeft <= 0) break;
      const next = nextPieceOf(struct, Math.max(0, clock - struct.id.clock));
      next.struct.write(items, next.offset);
      clock = next.struct.id.clock + next.struct.length;
      count++;
      turn.itemsLeft -= 1 + next.weight;
      if (clock < struct.id.clock + struct.length) break;
    }
    if (turn.itemsLeft > 0) continue;
    turn.itemsLeft = ITEMS_PER_TURN;
    await nextLongTurn();
  }
  const head = new Y.UpdateEncoderV1();
  writeClientHeader(head, count, Y.createID(structs[0]?.id.client ?? 0, from));
  return [head.toUint8Array(), items.toUint8Array()];
}

interface PieceOfStruct {
  struct: Y.Item | Y.GC;
  offset: number;
  /** How many items the piece counts as, in addition to itself. */
  weight: number;
}

/** Returns the next piece of an item that fits into one turn: Yjs merges adjacent values into items of any size. */
function nextPieceOf(struct: Y.Item | Y.GC, offset: number): PieceOfStruct {
  if (!(struct instanceof Y.Item && struct.content instanceof Y.ContentAny)) {
    return { struct, offset, weight: struct.length / TEXT_LENGTH_PER_ITEM };
  }
  const { arr } = struct.content;
  const values = arr.slice(offset, offset + countWithin(arr, offset, ITEMS_PER_TURN));
  const part = rightPartOf(struct, offset, new Y.ContentAny(values));
  const weight = values.reduce((sum, value) => sum + weightOf(value), 0);
  return { struct: part, offset: 0, weight };
}
