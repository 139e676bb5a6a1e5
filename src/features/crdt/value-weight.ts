import * as Y from 'yjs';
import type { Struct } from './causal-order.ts';

/** A thread with a small stack could not write deeper values. JSON over REST has at most 64 levels. */
const MAX_LEVELS = 200;
/** How many characters take about as long to read as a value. */
const CHARACTERS_PER_VALUE = 64;

/**
 * Estimates how long a value takes to read and to write. Counts it and the values within it; a long
 * string counts as several values.
 *
 * @throws Error when the value is nested too deeply.
 */
export function weightOf(value: unknown): number {
  const pending = [{ value, level: 0 }];
  let weight = 0;
  for (let next = pending.pop(); next; next = pending.pop()) {
    const { value: inner, level } = next;
    weight += 1;
    if (typeof inner === 'string') weight += inner.length / CHARACTERS_PER_VALUE;
    if (typeof inner !== 'object' || inner === null || inner instanceof Uint8Array) continue;
    if (level >= MAX_LEVELS) throw new Error('A value is nested too deeply.');
    for (const child of Object.values(inner)) pending.push({ value: child, level: level + 1 });
  }
  return weight;
}

/** Counts how many values, beginning at `from`, together weigh at most `maxWeight`; at least one counts. */
export function countWithin(values: readonly unknown[], from: number, maxWeight: number): number {
  let count = 0;
  let weight = 0;
  while (from + count < values.length) {
    weight += weightOf(values[from + count]);
    if (count > 0 && weight > maxWeight) break;
    count++;
  }
  return count;
}

/** Returns the values of an item. Text and bytes are left out, since they take almost no time. */
export function valuesIn(struct: Struct): readonly unknown[] {
  if (!(struct instanceof Y.Item)) return [];
  const { content } = struct;
  if (content instanceof Y.ContentAny) return content.arr;
  if (content instanceof Y.ContentFormat) return [content.value];
  const isJson = content instanceof Y.ContentEmbed || content instanceof Y.ContentJSON;
  return isJson ? content.getContent() : [];
}

/** The weight of a piece of text apart from its characters. A text that is edited often has many pieces. */
const TEXT_PIECE_WEIGHT = 0.1;

/** Whether the current content of a document, without deletions, weighs at most `maxWeight`. */
export function weighsAtMost(doc: Y.Doc, maxWeight: number): boolean {
  let weight = 0;
  for (const structs of doc.store.clients.values()) {
    for (const struct of structs) {
      if (struct.deleted) continue;
      const isText = struct instanceof Y.Item && struct.content instanceof Y.ContentString;
      weight += isText ? TEXT_PIECE_WEIGHT + struct.length / CHARACTERS_PER_VALUE : 1;
      for (const value of valuesIn(struct)) weight += weightOf(value);
      if (weight > maxWeight) return false;
    }
  }
  return true;
}
