import * as Y from 'yjs';

/** Writes the head of the items of one client in an update; the items themselves follow. */
export function writeClientHeader(
  encoder: Y.UpdateEncoderV1,
  count: number,
  first: Y.ID | undefined,
): void {
  encoder.writeLen(count);
  encoder.writeClient(first?.client ?? 0);
  encoder.writeLen(first?.clock ?? 0);
}

/** Returns the right part of an item that is split at an offset, as Yjs does for an insertion there. */
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
 * Encodes deletions as an update has them. Yjs exports this encoding only as a part of a snapshot, where
 * one byte for the empty state vector follows.
 */
export const encodeDeletions = (deletions: ReturnType<typeof Y.createDeleteSet>): Uint8Array =>
  Y.encodeSnapshot(Y.createSnapshot(deletions, new Map())).subarray(0, -1);
