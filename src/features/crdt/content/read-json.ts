import * as Y from 'yjs';
import {
  ContentMismatch,
  type JsonContentType,
  openRoot,
  sharedTypeOf,
  storedTypeOf,
} from './content-type.ts';
import type { JsonValue } from './json.ts';
import { plainContent } from './plain-text.ts';

/** Editors may nest content deeper than callers (64 levels). Beyond this, reading could exhaust the call stack. */
const MAX_READ_DEPTH = 1_000;

/**
 * Returns the content of the root `key` as JSON: a string for `text`, an object for `map`, an array
 * for `array`; empty when nothing is stored. The document is not changed.
 *
 * Nested shared types become JSON too: Y.Text and XML a string, Y.Map an object, Y.Array an array.
 * Values without JSON form are approximated: bytes as base64, a bigint by its digits, NaN and the
 * infinities as null, undefined as null in an array and as absent in an object.
 *
 * @throws {ContentMismatch} `root_type` when the root is of another type, `too_deep` beyond 1,000.
 */
export function readJson(doc: Y.Doc, key: string, type: JsonContentType): JsonValue {
  if (storedTypeOf(doc, key) === undefined) return emptyContent(type);
  const root = openRoot(doc, key, type);
  const plain = root instanceof Y.Text ? plainContent(root) : undefined;
  return plain ?? readValue(root, 0) ?? null;
}

function emptyContent(type: JsonContentType): JsonValue {
  if (type === 'text') return '';
  return type === 'map' ? {} : [];
}

/** Converts a nested value to JSON; undefined for values that JSON leaves out. @param depth the parent's */
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

/** @throws {ContentMismatch} `too_deep` */
export function requireReadDepth(depth: number): void {
  if (depth <= MAX_READ_DEPTH) return;
  const message = `The stored content is nested deeper than ${MAX_READ_DEPTH} levels.`;
  throw new ContentMismatch('too_deep', message);
}

function readObject(value: object, depth: number): JsonValue {
  requireReadDepth(depth);
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
  // `Object.fromEntries` defines own properties, so the key `__proto__` is ordinary data.
  return Object.fromEntries(read);
}
