import * as Y from 'yjs';
import { encodeDeletions, pieceOf, writeHead } from '../../features/crdt/update-encoding.ts';
import { countWithin, weightOf } from '../../features/crdt/value-weight.ts';
import { nextChunk } from '../../platform/event-loop.ts';

/** A piece of this many items, with their text and values, is encoded in a few milliseconds. */
const ITEMS_A_PIECE = 5_000;
const LENGTH_OF_AN_ITEM = 64;

/** A state vector without clients. */
export const NOTHING_KNOWN = Uint8Array.of(0);

/**
 * Encodes the content beyond a state vector, as `encodeStateAsUpdate` does, but in several turns. Edits
 * in between may be missing in the update, since its receiver gets them by broadcast.
 */
export async function encodeInTurns(doc: Y.Doc, stateVector: Uint8Array): Promise<Uint8Array> {
  const known = Y.decodeStateVector(stateVector);
  const piece = { room: ITEMS_A_PIECE };
  await nextChunk();
  const sections: Uint8Array[] = [];
  for (const [client, structs] of [...doc.store.clients]) {
    const from = known.get(client) ?? 0;
    const to = Y.getState(doc.store, client);
    if (from < to) sections.push(...(await sectionOf(structs, { from, to }, piece)));
  }
  const count = new Y.UpdateEncoderV1();
  count.writeLen(sections.length / 2);
  await nextChunk();
  const deletions = encodeDeletions(Y.createDeleteSetFromStructStore(doc.store));
  return Buffer.concat([count.toUint8Array(), ...sections, deletions]);
}

/** Encodes the items of one client: a head with their number, and then the items. */
async function sectionOf(
  structs: (Y.Item | Y.GC)[],
  { from, to }: { from: number; to: number },
  piece: { room: number },
): Promise<Uint8Array[]> {
  const items = new Y.UpdateEncoderV1();
  let [count, clock] = [0, from];
  while (clock < to) {
    // Yjs may have merged or split items since the last turn.
    const first = Y.findIndexSS(structs, clock);
    for (const struct of structs.slice(first, first + ITEMS_A_PIECE)) {
      if (struct.id.clock >= to || piece.room <= 0) break;
      const next = nextChunkOf(struct, Math.max(0, clock - struct.id.clock));
      next.struct.write(items, next.offset);
      clock = next.struct.id.clock + next.struct.length;
      count++;
      piece.room -= 1 + next.weight;
      if (clock < struct.id.clock + struct.length) break;
    }
    if (piece.room > 0) continue;
    piece.room = ITEMS_A_PIECE;
    await nextChunk();
  }
  const head = new Y.UpdateEncoderV1();
  writeHead(head, count, Y.createID(structs[0]?.id.client ?? 0, from));
  return [head.toUint8Array(), items.toUint8Array()];
}

interface PieceOfStruct {
  struct: Y.Item | Y.GC;
  offset: number;
  weight: number;
}

/** Returns the next piece of an item, since Yjs merges adjacent values into items of any size. */
function nextChunkOf(struct: Y.Item | Y.GC, offset: number): PieceOfStruct {
  if (!(struct instanceof Y.Item && struct.content instanceof Y.ContentAny)) {
    return { struct, offset, weight: struct.length / LENGTH_OF_AN_ITEM };
  }
  const { arr } = struct.content;
  const own = arr.slice(offset, offset + countWithin(arr, offset, ITEMS_A_PIECE));
  const part = pieceOf(struct, offset, new Y.ContentAny(own));
  return { struct: part, offset: 0, weight: own.reduce((sum, value) => sum + weightOf(value), 0) };
}
