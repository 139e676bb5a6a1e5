import * as Y from 'yjs';
import { isJsonObject, type JsonValue } from './json.ts';

/**
 * How objects and arrays are stored: `shared` as Y.Map and Y.Array, which can be edited inside, or
 * `plain` as one value, which can only be replaced.
 */
export type StoredForm = 'shared' | 'plain';

/** Yjs spreads what a new array is given over the call stack. */
const PUSH_SIZE = 1_000;

/**
 * The form of the containers among `values`. Shared, unless all there are is plain: an editor that
 * keeps plain objects reads plain objects, and would not understand a Y.Map among them.
 */
export function formAmong(values: Iterable<unknown>): StoredForm {
  let form: StoredForm = 'shared';
  for (const value of values) {
    if (value instanceof Y.AbstractType) return 'shared';
    if (isPlainContainer(value)) form = 'plain';
  }
  return form;
}

/** The form for what takes the place of `old`: that of `old`, or else `otherwise`. */
export function formInPlaceOf(old: unknown, otherwise: StoredForm): StoredForm {
  if (old instanceof Y.AbstractType) return 'shared';
  return isPlainContainer(old) ? 'plain' : otherwise;
}

/** What to give to Yjs to store `value`. Shares nothing with it. */
export function toStored(value: JsonValue, form: StoredForm): unknown {
  if (typeof value !== 'object' || value === null) return value;
  return form === 'plain' && survivesPlain(value) ? structuredClone(value) : toShared(value);
}

function toShared(value: JsonValue): unknown {
  if (Array.isArray(value)) return toSharedArray(value);
  if (!isJsonObject(value)) return value;
  return new Y.Map(Object.entries(value).map(([key, item]) => [key, toShared(item)]));
}

function toSharedArray(values: readonly JsonValue[]): Y.Array<unknown> {
  const array = new Y.Array<unknown>();
  for (let at = 0; at < values.length; at += PUSH_SIZE) {
    array.push(values.slice(at, at + PUSH_SIZE).map(toShared));
  }
  return array;
}

/** Yjs asks a plain object for its `constructor`, and on the wire `__proto__` is lost. */
function survivesPlain(value: JsonValue): boolean {
  if (typeof value !== 'object' || value === null) return true;
  if (Object.hasOwn(value, '__proto__') || Object.hasOwn(value, 'constructor')) return false;
  return Object.values<JsonValue>(value).every(survivesPlain);
}

function isPlainContainer(value: unknown): boolean {
  return typeof value === 'object' && value !== null && !(value instanceof Uint8Array);
}
