import * as Y from 'yjs';
import { inCausalOrder, type Struct } from '../causal-order.ts';
import { isHighSurrogate } from '../content/diff/text-segments.ts';
import { encodeDeletions, rightPartOf, writeClientHeader } from '../update-encoding.ts';
import { countWithin, valuesIn, weightOf } from '../value-weight.ts';

/** The limits of one part. For each item, Yjs may split an existing item and shift all that follow it. */
const MAX_ITEMS = 500;
const MAX_DELETED_UNITS = 6_000;
const MAX_DELETED_RANGES = 25;
/** An item may have many values, such as array elements that were inserted together. */
const MAX_VALUES = 5_000;
/** UTF-16 units of text, if the part has no other values. */
const MAX_TEXT_UNITS = 256 * 1024;

/**
 * Splits a large update into parts, to be applied one after the other, so that none of them blocks the
 * process for long. A small update stays whole. New items come first, each after the items that it
 * refers to, and deletions last.
 */
export function splitUpdate(update: Uint8Array): Uint8Array[] {
  const { structs, ds } = Y.decodeUpdate(update);
  const deleted = [...ds.clients].flatMap(([client, ranges]) =>
    ranges.flatMap((range) => sliceRange(client, range.clock, range.len)),
  );
  const deletedUnits = deleted.reduce((sum, slice) => sum + slice.len, 0);
  const items = structs.flatMap(cutItem);
  const isSmall =
    groupIntoParts(items).length <= 1 &&
    deletedUnits <= MAX_DELETED_UNITS &&
    deleted.length <= MAX_DELETED_RANGES;
  if (isSmall) return [update];
  return [
    ...groupIntoParts(inCausalOrder(items)).map((batch) => encode(batch, [])),
    ...deletionParts(deleted),
  ];
}

/** Cuts an item at the limits, as Yjs does for insertions in its middle. Yjs merges the applied pieces again. */
function cutItem(struct: Struct): Struct[] {
  if (!(struct instanceof Y.Item)) return [struct];
  const { content } = struct;
  if (!(content instanceof Y.ContentAny || content instanceof Y.ContentString)) return [struct];
  const pieces: Y.Item[] = [struct];
  let offset = 0;
  let piece = content;
  for (;;) {
    const count =
      piece instanceof Y.ContentAny ? countWithin(piece.arr, 0, MAX_VALUES) : textWithin(piece);
    if (count === piece.getLength()) break;
    const rest = piece.splice(count);
    offset += count;
    pieces.push(rightPartOf(struct, offset, rest));
    piece = rest;
  }
  // The first `splice` has shortened the item's own content, so its length changes as well.
  struct.length = content.getLength();
  return pieces;
}

/** Counts the units of a text that fit in one part, without splitting a surrogate pair. */
function textWithin({ str }: Y.ContentString): number {
  if (str.length <= MAX_TEXT_UNITS) return str.length;
  return isHighSurrogate(str.charCodeAt(MAX_TEXT_UNITS - 1)) ? MAX_TEXT_UNITS - 1 : MAX_TEXT_UNITS;
}

function groupIntoParts(items: readonly Struct[]): Struct[][] {
  const parts: Struct[][] = [];
  let values = 0;
  for (const item of items) {
    const last = parts.at(-1);
    const size = sizeOf(item);
    if (last && last.length < MAX_ITEMS && values + size <= MAX_VALUES) {
      last.push(item);
      values += size;
    } else {
      parts.push([item]);
      values = size;
    }
  }
  return parts;
}

/** Returns the size of an item in values. Text counts by its share of `MAX_TEXT_UNITS`. */
function sizeOf(item: Struct): number {
  const isText = item instanceof Y.Item && item.content instanceof Y.ContentString;
  if (isText) return (item.length / MAX_TEXT_UNITS) * MAX_VALUES;
  return valuesIn(item).reduce((sum: number, value) => sum + weightOf(value), 0);
}

/** A range of deleted units of one client: characters or elements. Yjs calls its length `len`. */
interface DeletedRange {
  client: number;
  clock: number;
  len: number;
}

/** Cuts a range into ranges of at most `MAX_DELETED_UNITS`. */
function sliceRange(client: number, clock: number, total: number): DeletedRange[] {
  const ranges: DeletedRange[] = [];
  for (let offset = 0; offset < total; offset += MAX_DELETED_UNITS) {
    ranges.push({
      client,
      clock: clock + offset,
      len: Math.min(MAX_DELETED_UNITS, total - offset),
    });
  }
  return ranges;
}

/** Encodes deletions as updates, each within the limits of a part. */
function deletionParts(deleted: readonly DeletedRange[]): Uint8Array[] {
  const parts: Uint8Array[] = [];
  let part: DeletedRange[] = [];
  let remainingUnits = MAX_DELETED_UNITS;
  for (const slice of deleted) {
    if (part.length > 0 && (slice.len > remainingUnits || part.length >= MAX_DELETED_RANGES)) {
      parts.push(encode([], part));
      part = [];
      remainingUnits = MAX_DELETED_UNITS;
    }
    part.push(slice);
    remainingUnits -= slice.len;
  }
  return part.length > 0 ? [...parts, encode([], part)] : parts;
}

/** Returns an update in the encoding of Yjs: items, then deletions, both client by client. */
function encode(structs: readonly Struct[], deleted: readonly DeletedRange[]): Uint8Array {
  const encoder = new Y.UpdateEncoderV1();
  const byClient = Map.groupBy(structs, (struct) => struct.id.client);
  encoder.writeLen(byClient.size);
  for (const items of byClient.values()) {
    writeClientHeader(encoder, items.length, items[0]?.id);
    for (const item of items) item.write(encoder, 0);
  }
  const deletions = Y.createDeleteSet();
  for (const [client, ranges] of Map.groupBy(deleted, (range) => range.client)) {
    deletions.clients.set(client, ranges);
  }
  // The bytes are copied, since sending a small pooled buffer to another thread would send its whole pool.
  return new Uint8Array(Buffer.concat([encoder.toUint8Array(), encodeDeletions(deletions)]));
}
