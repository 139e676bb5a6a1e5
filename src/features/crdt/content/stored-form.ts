import * as Y from 'yjs';
import { isJsonObject, type JsonValue } from './json.ts';

/**
 * How objects and arrays are stored: `shared` as Y.Map and Y.Array, which can be edited inside, or `plain`
 * as one value, which can only be replaced.
 */
type StoredForm = 'shared' | 'plain';

/** The most values inserted at once: Yjs passes values for a new shared type as arguments on the call stack. */
export const MAX_INSERTED_AT_ONCE = 1_000;

/**
 * Returns the form of the containers among `values`: `plain` if there are any and all are plain, else
 * `shared`. An editor that stores plain objects also expects plain objects, and would not
 * understand a Y.Map.
 */
export function formOfContainers(values: Iterable<unknown>): StoredForm {
  let form: StoredForm = 'shared';
  for (const value of values) {
    if (value instanceof Y.AbstractType) return 'shared';
    if (isPlainContainer(value)) form = 'plain';
  }
  return form;
}

/**
 * Returns the form for a value that replaces `old`: the form of `old` if it is a container, else
 * `otherwise`.
 */
export function formForReplacing(old: unknown, otherwise: StoredForm): StoredForm {
  if (old instanceof Y.AbstractType) return 'shared';
  return isPlainContainer(old) ? 'plain' : otherwise;
}

/** Converts `value` for storage in Yjs. The result shares no objects with it. */
export function toStored(value: JsonValue, form: StoredForm): unknown {
  if (typeof value !== 'object' || value === null) return value;
  return form === 'plain' && canBeStoredPlain(value) ? structuredClone(value) : toShared(value);
}

function toShared(value: JsonValue): unknown {
  if (Array.isArray(value)) return toSharedArray(value);
  if (!isJsonObject(value)) return value;
  return new Y.Map(Object.entries(value).map(([key, item]) => [key, toShared(item)]));
}

function toSharedArray(values: readonly JsonValue[]): Y.Array<unknown> {
  const array = new Y.Array<unknown>();
  for (let at = 0; at < values.length; at += MAX_INSERTED_AT_ONCE) {
    array.push(values.slice(at, at + MAX_INSERTED_AT_ONCE).map(toShared));
  }
  return array;
}

/** Yjs reads the `constructor` of a plain object, and its encoding loses the key `__proto__`. */
function canBeStoredPlain(value: JsonValue): boolean {
  if (typeof value !== 'object' || value === null) return true;
  if (Object.hasOwn(value, '__proto__') || Object.hasOwn(value, 'constructor')) return false;
  return Object.values<JsonValue>(value).every(canBeStoredPlain);
}

function isPlainContainer(value: unknown): boolean {
  return typeof value === 'object' && value !== null && !(value instanceof Uint8Array);
}
