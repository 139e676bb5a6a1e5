import { AsyncLocalStorage } from 'node:async_hooks';
import superjson, { type SuperJSONResult } from 'superjson';
import { type AppError, invalidArgument } from '../platform/errors.ts';

/**
 * Typed clients speak superjson, but say nothing that REST callers could not: dates, maps, NaN and
 * the like are refused, since Zod takes any object that has no required fields for such an object.
 */
export const transformer = {
  input: { serialize: (value: unknown) => superjson.serialize(value), deserialize },
  // Answers are JSON already, and superjson throws at keys such as `constructor`, which ids may be.
  output: {
    serialize: (json: unknown): SuperJSONResult => ({ json }) as SuperJSONResult,
    deserialize: (output: SuperJSONResult): unknown => superjson.deserialize(output),
  },
};

/**
 * The inputs of a body that was parsed already, by the names that stand for them in the text that
 * tRPC parses. It takes texts only, and parses them in one go.
 */
export const parsedInputs = new AsyncLocalStorage<ReadonlyMap<string, unknown>>();

/** What superjson notes beside the JSON, as it came from outside. */
interface Notes {
  values?: unknown;
  /** Absent in old versions, which escaped paths in another way. */
  v?: unknown;
}

/**
 * Reads what superjson wrote, in time that grows with its length. That a client used one object
 * twice (`referentialEqualities`) does not matter here: the JSON holds it twice.
 */
function deserialize(given: unknown): unknown {
  const parsed = parsedInputs.getStore();
  const input = parsed ? parsed.get(String(given)) : given;
  if (!isObject(input) || !Object.hasOwn(input, 'json')) throw notSuperjson();
  const { json, meta } = input as { json: unknown; meta?: Notes | null };
  const values = meta?.values;
  if (values === undefined || values === null) return json;
  if (isUndefined(values)) return undefined;
  takeAway(json, values, !meta?.v);
  return json;
}

/** Takes out of the JSON what was `undefined`: a field that was not given. In lists it is null. */
function takeAway(json: unknown, values: unknown, isLegacy: boolean): void {
  const pending = [{ place: json, notes: values }];
  for (let next = pending.pop(); next; next = pending.pop()) {
    const { place, notes } = next;
    if (!isObject(notes) || Array.isArray(notes)) throw noJson();
    for (const [path, note] of Object.entries(notes)) {
      const { holder, key } = find(place, partsOf(path, isLegacy));
      if (!isUndefined(note)) pending.push({ place: holder[key], notes: note });
      else if (!Array.isArray(holder)) delete holder[key];
    }
  }
}

/** The place that a path names, which must be there. */
function find(from: unknown, parts: string[]): { holder: Record<string, unknown>; key: string } {
  let holder = from;
  for (const key of parts.slice(0, -1)) holder = inside(holder, key)[key];
  const key = parts.at(-1) ?? '';
  return { holder: inside(holder, key), key };
}

function inside(holder: unknown, key: string): Record<string, unknown> {
  if (isObject(holder) && Object.prototype.propertyIsEnumerable.call(holder, key)) return holder;
  throw notSuperjson();
}

/** As deep as a body may be: no path that names anything is longer. */
const MAX_PARTS = 100;

/** `a.b\.c` is `b.c` in `a`. A backslash escapes itself too, except in old versions. */
function partsOf(path: string, isLegacy: boolean): string[] {
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

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null;

const notSuperjson = (): AppError => invalidArgument('The input is not in the form of superjson.');
const noJson = (): AppError => invalidArgument('The input contains something that is no JSON.');
