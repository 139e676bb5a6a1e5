import superjson, { type SuperJSONResult } from 'superjson';
import { type AppError, invalidArgument } from '../platform/errors.ts';
import { isObject } from '../platform/json.ts';

/**
 * Typed clients use superjson, but may send only values that REST callers can send. Dates, maps,
 * NaN and the like are refused, since Zod would accept any object where no field is required.
 */
export const transformer = {
  input: { serialize: (value: unknown) => superjson.serialize(value), deserialize },
  // Answers are plain JSON, and superjson throws for keys such as `constructor`, which ids may be.
  output: {
    serialize: (json: unknown): SuperJSONResult => ({ json }) as SuperJSONResult,
    deserialize: (output: SuperJSONResult): unknown => superjson.deserialize(output),
  },
};

/** The metadata of superjson next to the JSON, as received. */
interface Notes {
  /** The types of values by their paths, such as `{ 'a.b': ['undefined'] }`. */
  values?: unknown;
  /** Absent for old versions, which escape paths differently. */
  v?: unknown;
}

/**
 * Reads the output of superjson in linear time. Limits on bodies bound its paths (body-shape.ts).
 * Equal references (`referentialEqualities`) are ignored, since the JSON contains the object at every
 * place.
 */
function deserialize(input: unknown): unknown {
  if (!isObject(input) || !Object.hasOwn(input, 'json')) throw notSuperjson();
  const unknown = Object.keys(input).find((name) => name !== 'json' && name !== 'meta');
  if (unknown !== undefined) throw unknownField(unknown);
  const { json, meta } = input as { json: unknown; meta?: Notes | null };
  const values = meta?.values;
  if (values === undefined || values === null) return json;
  if (isUndefined(values)) return undefined;
  removeUndefined(json, values, !meta?.v);
  return json;
}

/**
 * Removes values that were `undefined`: such a field was not given, and in a list it becomes null.
 */
function removeUndefined(json: unknown, values: unknown, isLegacy: boolean): void {
  const pending = [{ place: json, notes: values }];
  for (let next = pending.pop(); next; next = pending.pop()) {
    const { place, notes } = next;
    if (!isObject(notes)) throw noJson();
    for (const [path, note] of Object.entries(notes)) {
      const isEscaped = path.includes('\\');
      const parts = isEscaped ? escapedParts(path, isLegacy) : path.split('.', MAX_PARTS + 1);
      const { holder, key } = find(place, parts);
      if (!isUndefined(note)) pending.push({ place: holder[key], notes: note });
      else if (!Array.isArray(holder)) delete holder[key];
    }
  }
}

/** Returns the place in the JSON that a path names; it must exist. */
function find(from: unknown, parts: string[]): { holder: Record<string, unknown>; key: string } {
  const key = parts.pop() ?? '';
  let holder = from;
  for (const part of parts) holder = inside(holder, part)[part];
  return { holder: inside(holder, key), key };
}

function inside(holder: unknown, key: string): Record<string, unknown> {
  const isLength = Array.isArray(holder) && key === 'length';
  if (isContainer(holder) && Object.hasOwn(holder, key) && !isLength) return holder;
  throw notSuperjson();
}

/** How much of a name a message shows. */
const MAX_LETTERS = 100;

/** The maximal depth of a body. Longer paths cannot exist. */
const MAX_PARTS = 100;

/**
 * Splits a path: `a.b\.c` is `b.c` in `a`. A backslash also escapes itself, except in old versions.
 */
function escapedParts(path: string, isLegacy: boolean): string[] {
  const parts: string[] = [];
  let part = '';
  for (let at = 0; at < path.length && parts.length < MAX_PARTS; at++) {
    const [character, next] = [path[at], path[at + 1]];
    const isEscape = character === '\\' && (next === '.' || (next === '\\' && !isLegacy));
    if (isEscape) part += path[++at];
    else if (character !== '.') part += character;
    else {
      parts.push(part);
      part = '';
    }
  }
  return [...parts, part];
}

const isUndefined = (note: unknown): boolean =>
  Array.isArray(note) && note.length === 1 && note[0] === 'undefined';

/** Objects and arrays, whose items are read by their keys. */
const isContainer = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null;

const notSuperjson = (): AppError =>
  invalidArgument('The input is not in the form of superjson: send it as {"json": {…}}.');
/** A field next to `json` has no effect. Its caller would not notice that if it were accepted. */
function unknownField(field: string): AppError {
  const name = field.slice(0, MAX_LETTERS);
  const message = 'is not known here. Fields of the input belong inside json';
  return invalidArgument(`${name}: ${message}`, { details: { issues: [{ path: name, message }] } });
}
const noJson = (): AppError => invalidArgument('The input contains a value that is not JSON.');
