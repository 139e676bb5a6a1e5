import * as Y from 'yjs';
import { ContentMismatch } from './content-mismatch.ts';
import { type JsonContentType, openRoot, sharedTypeOf, storedTypeOf } from './content-type.ts';
import type { JsonValue } from './json.ts';

/** Editors may nest deeper than callers (64); beyond this the call stack would be at risk. */
export const MAX_READ_DEPTH = 1_000;

/**
 * The content of the root `key` as JSON: a string for `text`, an object for `map`, an array for
 * `array`; empty when nothing is stored, and then the document stays untouched.
 *
 * Shared types inside become what they hold: Y.Text and XML a string, Y.Map an object, Y.Array an
 * array. What JSON cannot say becomes its nearest: bytes are base64, a bigint its digits, NaN and
 * the infinities null, undefined null in an array and absent in an object.
 *
 * @throws {ContentMismatch} `root_type` when the root is of another type, `too_deep` beyond 1,000.
 */
export function readContent(doc: Y.Doc, key: string, type: JsonContentType): JsonValue {
  if (storedTypeOf(doc, key) === undefined) return emptyContent(type);
  return readValue(openRoot(doc, key, type), 0) ?? null;
}

function emptyContent(type: JsonContentType): JsonValue {
  if (type === 'text') return '';
  return type === 'map' ? {} : [];
}

/** A value inside content as JSON; undefined for what JSON leaves out. `depth` is that of its parent. */
export function readValue(value: unknown, depth: number): JsonValue | undefined {
  switch (typeof value) {
    case 'string':
    case 'boolean':
      return value;
    case 'number':
      return Number.isFinite(value) ? value : null;
    case 'bigint':
      return String(value);
    case 'object':
      return value === null ? null : readObject(value, depth + 1);
    default:
      return undefined;
  }
}

function readObject(value: object, depth: number): JsonValue {
  if (depth > MAX_READ_DEPTH) {
    throw new ContentMismatch(
      'too_deep',
      `The stored content is nested deeper than ${MAX_READ_DEPTH} levels.`,
    );
  }
  if (value instanceof Y.Text || sharedTypeOf(value) === 'xml') return String(value);
  if (value instanceof Y.Map) return readEntries(value.entries(), depth);
  if (value instanceof Y.Array) return readElements(value.toArray(), depth);
  if (Array.isArray(value)) return readElements(value, depth);
  if (value instanceof Uint8Array) return Buffer.from(value).toString('base64');
  if (value instanceof Y.Doc) return null;
  return readEntries(Object.entries(value), depth);
}

function readElements(values: readonly unknown[], depth: number): JsonValue[] {
  return values.map((value) => readValue(value, depth) ?? null);
}

function readEntries(entries: Iterable<[string, unknown]>, depth: number): JsonValue {
  const read: [string, JsonValue][] = [];
  for (const [key, value] of entries) {
    const json = readValue(value, depth);
    if (json !== undefined) read.push([key, json]);
  }
  // Defines own properties, so a key `__proto__` is data like any other.
  return Object.fromEntries(read);
}
