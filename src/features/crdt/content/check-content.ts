import { isPlainObject } from '../../../platform/json.ts';
import { ContentMismatch, type JsonContentType } from './content-type.ts';
import type { JsonValue } from './json.ts';

export const MAX_CONTENT_DEPTH = 64;
export const MAX_CONTENT_NODES = 100_000;

/**
 * Checks that `data` is content of `type` and can be stored: JSON only, well-formed strings, at
 * most 64 nested containers and 100,000 values. The check is iterative, so that deep input cannot
 * exhaust the stack, and stops at the first problem.
 *
 * @throws {ContentMismatch} `data_type`, `too_deep` or `too_large`.
 */
export function assertContent(type: JsonContentType, data: unknown): asserts data is JsonValue {
  if (typeOf(data) !== type) {
    throw new ContentMismatch('data_type', `Content of type ${type} must be ${DATA_FORM[type]}.`);
  }
  countValues(data);
}

/**
 * Counts the values in JSON, the outermost included.
 *
 * @throws {ContentMismatch} as `assertContent` does, when the data is not JSON or exceeds the
 * limits.
 */
export function countValues(data: unknown): number {
  const pending: Array<{ container: object; depth: number }> = [];
  let nodes = 0;
  // Scalars are checked immediately and not queued, since there may be very many of them.
  const visit = (value: unknown, depth: number): void => {
    if (++nodes > MAX_CONTENT_NODES) throw tooLarge();
    if (isContainer(value)) {
      if (depth > MAX_CONTENT_DEPTH) throw tooDeep();
      pending.push({ container: value, depth });
    } else {
      requireScalar(value);
    }
  };
  visit(data, 1);
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    const { container, depth } = next;
    if (Array.isArray(container)) {
      // The holes of a sparse array are read as undefined, which is refused.
      for (const value of container) visit(value, depth + 1);
    } else {
      for (const key of Object.keys(container)) {
        requireWellFormed(key);
        visit((container as Record<string, unknown>)[key], depth + 1);
      }
    }
  }
  return nodes;
}

const DATA_FORM = { text: 'a string', map: 'an object', array: 'an array' } as const;

function typeOf(data: unknown): JsonContentType | undefined {
  if (typeof data === 'string') return 'text';
  if (Array.isArray(data)) return 'array';
  return typeof data === 'object' && data !== null ? 'map' : undefined;
}

const isContainer = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && (Array.isArray(value) || isPlainObject(value));

/** @throws {ContentMismatch} for a value that is not JSON. */
function requireScalar(value: unknown): void {
  if (value === null || typeof value === 'boolean') return;
  if (typeof value === 'string') {
    requireWellFormed(value);
  } else if (typeof value !== 'number') {
    throw new ContentMismatch('data_type', `Content must be JSON; ${typeof value} is not.`);
  } else if (!Number.isFinite(value)) {
    throw new ContentMismatch('data_type', 'Numbers in content must be finite.');
  }
}

/** @throws {ContentMismatch} for a text with half of a surrogate pair. */
export function requireWellFormed(text: string): void {
  if (text.isWellFormed()) return;
  throw new ContentMismatch('data_type', 'Content must be well-formed Unicode.');
}

export const tooDeep = () =>
  new ContentMismatch(
    'too_deep',
    `Content may be nested at most ${MAX_CONTENT_DEPTH} levels deep.`,
  );

export const tooLarge = () =>
  new ContentMismatch(
    'too_large',
    `Content may hold at most ${MAX_CONTENT_NODES.toLocaleString('en')} values.`,
  );
