import * as Y from 'yjs';

/** Writes the header that precedes the items of one client in an update. */
export function writeClientHeader(
  encoder: Y.UpdateEncoderV1,
  count: number,
  first: Y.ID | undefined,
): void {
  encoder.writeLen(count);
  encoder.writeClient(first?.client ?? 0);
  encoder.writeLen(first?.clock ?? 0);
}

/** Creates the right part of an item, as Yjs does when it splits the item at an offset. The item stays whole. */
export function rightPartOf(
  { id, origin, rightOrigin, parent, parentSub }: Y.Item,
  offset: number,
  content: Y.Item['content'],
): Y.Item {
  const at = Y.createID(id.client, id.clock + offset);
  const left = offset > 0 ? Y.createID(id.client, at.clock - 1) : origin;
  return new Y.Item(at, null, left, null, rightOrigin, parent, parentSub, content);
}

/**
 * Encodes deletions as in an update. Yjs exports this encoding only as a part of a snapshot, so they are
 * encoded as a snapshot, without its last byte for the empty state vector.
 */
export const encodeDeletions = (deletions: ReturnType<typeof Y.createDeleteSet>): Uint8Array =>
  Y.encodeSnapshot(Y.createSnapshot(deletions, new Map())).subarray(0, -1);
