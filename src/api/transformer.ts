import { type AppError, invalidArgument } from '../platform/errors.ts';
import { isObject } from '../platform/json.ts';

/** Stands in for the functions that only clients call: they serialize inputs and deserialize outputs. */
const neverCalled = (): never => {
  throw new Error('Only clients serialize inputs and deserialize outputs.');
};

/**
 * Typed clients use superjson, but may send only values that REST callers can send. Dates, maps,
 * NaN and the like are refused here: where no field is required, Zod would accept a date or a map.
 */
export const transformer = {
  input: { serialize: neverCalled, deserialize },
  // Responses are sent as plain JSON: superjson throws for keys such as `constructor`, which may be ids.
  output: { serialize: (json: unknown) => ({ json }), deserialize: neverCalled },
};

/** The `meta` that superjson sends beside the JSON. Its content has not been checked. */
interface Meta {
  /** The annotations: types of values by their paths, such as `{ 'a.b': ['undefined'] }`. */
  values?: unknown;
  /** The version. Old versions of superjson send none, and escape paths differently. */
  v?: unknown;
}

/**
 * Reads the output of superjson in linear time. The limits on bodies (body-shape.ts) also limit the
 * number and the length of its paths. Equal references (`referentialEqualities`) are ignored: the JSON
 * contains a copy of the object wherever it is referenced.
 */
function deserialize(input: unknown): unknown {
  if (!isObject(input) || !Object.hasOwn(input, 'json')) throw notSuperjson();
  const unknown = Object.keys(input).find((name) => name !== 'json' && name !== 'meta');
  if (unknown !== undefined) throw unknownField(unknown);
  const { json, meta } = input as { json: unknown; meta?: Meta | null };
  const annotations = meta?.values;
  if (annotations === undefined || annotations === null) return json;
  if (isOfType('undefined', annotations)) return undefined;
  applyAnnotations(json, annotations, !meta?.v);
  return json;
}

/**
 * Replaces annotated values by those that JSON would have without superjson: a field that was `undefined`
 * is removed, an `undefined` item of a list stays null, and negative zero becomes 0.
 */
function applyAnnotations(json: unknown, annotations: unknown, isLegacy: boolean): void {
  const pending = [{ root: json, annotations }];
  for (let part = pending.pop(); part; part = pending.pop()) {
    if (!isObject(part.annotations)) throw notJson();
    for (const [path, annotation] of Object.entries(part.annotations)) {
      const isEscaped = path.includes('\\');
      const keys = isEscaped ? escapedKeys(path, isLegacy) : path.split('.', MAX_KEYS + 1);
      const { parent, key } = findParent(part.root, keys);
      const value = parent[key];
      if (isOfType('undefined', annotation)) {
        if (!Array.isArray(parent)) delete parent[key];
      } else if (isOfType('number', annotation) && value === '-0') {
        parent[key] = 0;
      } else {
        // An object annotates values inside this one, by paths relative to it. Other annotations are refused.
        pending.push({ root: value, annotations: annotation });
      }
    }
  }
}

/** Returns the object or array that contains the value with this path, which must exist. */
function findParent(
  root: unknown,
  keys: string[],
): { parent: Record<string, unknown>; key: string } {
  const key = keys.pop() ?? '';
  let parent = root;
  for (const step of keys) parent = requireKey(parent, step)[step];
  return { parent: requireKey(parent, key), key };
}

/** @throws INVALID_ARGUMENT unless the value is an object or array with this key */
function requireKey(parent: unknown, key: string): Record<string, unknown> {
  const isLength = Array.isArray(parent) && key === 'length';
  if (isContainer(parent) && Object.hasOwn(parent, key) && !isLength) return parent;
  throw notSuperjson();
}

/** The most characters of a name that a message shows. */
const MAX_SHOWN_CHARS = 100;

/** The maximum depth of a body. No path can have more keys. */
const MAX_KEYS = 100;

/**
 * Splits a path: `a.b\.c` is `b.c` in `a`. A backslash also escapes itself, except in old versions.
 */
function escapedKeys(path: string, isLegacy: boolean): string[] {
  const keys: string[] = [];
  let current = '';
  for (let at = 0; at < path.length && keys.length < MAX_KEYS; at++) {
    const character = path[at];
    const next = path[at + 1];
    const isEscape = character === '\\' && (next === '.' || (next === '\\' && !isLegacy));
    if (isEscape) {
      current += next;
      at += 1;
    } else if (character === '.') {
      keys.push(current);
      current = '';
    } else {
      current += character;
    }
  }
  return [...keys, current];
}

const isOfType = (type: string, annotation: unknown): boolean =>
  Array.isArray(annotation) && annotation.length === 1 && annotation[0] === type;

/** Objects and arrays, whose items are read by their keys. */
const isContainer = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null;

const notSuperjson = (): AppError =>
  invalidArgument('The input is not in the format of superjson: send it as {"json": {…}}.');
/** Fields next to `json` are refused: they have no effect, which the caller would not notice. */
function unknownField(field: string): AppError {
  const name = field.slice(0, MAX_SHOWN_CHARS);
  const message = 'is not known here. Fields of the input belong inside json';
  return invalidArgument(`${name}: ${message}`, { details: { issues: [{ path: name, message }] } });
}
const notJson = (): AppError => invalidArgument('The input contains a value that is not JSON.');
