import { ContentMismatch } from './content-mismatch.ts';
import type { JsonContentType } from './content-type.ts';
import type { JsonValue } from './json.ts';

export const MAX_CONTENT_DEPTH = 64;
export const MAX_CONTENT_NODES = 100_000;

/**
 * Checks that `data` is content of `type` and can be stored: JSON only, well-formed strings, at most
 * 64 nested containers and 100,000 values. Iterative, so that hostile depth cannot exhaust the
 * stack, and it stops at the first problem.
 *
 * @throws {ContentMismatch} `data_type`, `too_deep` or `too_large`.
 */
export function assertContent(type: JsonContentType, data: unknown): asserts data is JsonValue {
  if (typeOf(data) !== type) {
    throw new ContentMismatch('data_type', `Content of type ${type} must be ${EXPECTED[type]}.`);
  }
  countValues(data);
}

/**
 * How many values there are in some JSON, itself included.
 *
 * @throws {ContentMismatch} as `assertContent` does, when it is no JSON or there is too much of it.
 */
export function countValues(data: unknown): number {
  const pending: { value: unknown; depth: number }[] = [{ value: data, depth: 1 }];
  let nodes = 1;
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    const children = childrenOf(next.value);
    if (children === undefined) continue;
    if (next.depth > MAX_CONTENT_DEPTH) throw tooDeep();
    nodes += children.length;
    if (nodes > MAX_CONTENT_NODES) throw tooLarge();
    for (const value of children) pending.push({ value, depth: next.depth + 1 });
  }
  return nodes;
}

const EXPECTED = { text: 'a string', map: 'an object', array: 'an array' } as const;

function typeOf(data: unknown): JsonContentType | undefined {
  if (typeof data === 'string') return 'text';
  if (Array.isArray(data)) return 'array';
  return typeof data === 'object' && data !== null ? 'map' : undefined;
}

/** The values inside a container, undefined for a sound scalar; throws for all that is not JSON. */
function childrenOf(value: unknown): unknown[] | undefined {
  if (value === null || typeof value === 'boolean') return undefined;
  if (typeof value === 'string') return requireWellFormed(value);
  if (typeof value === 'number') return requireFinite(value);
  // A sparse array yields undefined for its holes, which is refused like any other undefined.
  if (Array.isArray(value)) return value;
  if (typeof value === 'object' && isPlain(value)) {
    Object.keys(value).forEach(requireWellFormed);
    return Object.values(value);
  }
  throw new ContentMismatch('data_type', `Content must be JSON; ${typeof value} is not.`);
}

function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}

function requireWellFormed(text: string): undefined {
  if (text.isWellFormed()) return;
  throw new ContentMismatch('data_type', 'Content must be well-formed Unicode.');
}

function requireFinite(value: number): undefined {
  if (Number.isFinite(value)) return;
  throw new ContentMismatch('data_type', 'Numbers in content must be finite.');
}

export function tooDeep(): ContentMismatch {
  const message = `Content may be nested ${MAX_CONTENT_DEPTH} levels deep.`;
  return new ContentMismatch('too_deep', message);
}

export function tooLarge(): ContentMismatch {
  const message = `Content may hold ${MAX_CONTENT_NODES.toLocaleString('en')} values.`;
  return new ContentMismatch('too_large', message);
}
