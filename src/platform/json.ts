import { randomUUID } from 'node:crypto';

export interface JsonLimits {
  maxBytes: number;
  maxDepth: number;
}

/** The limits of a free-form JSON field. */
export const FREE_JSON: JsonLimits = { maxBytes: 65_536, maxDepth: 32 };

export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Whether PostgreSQL can store a text, which must have no NUL and no lone surrogate. */
export const isStorableText = (text: string): boolean =>
  !text.includes('\0') && text.isWellFormed();

/**
 * Returns why a value is not JSON or exceeds the limits; undefined if it is valid. The walk is
 * iterative, so that deep values cannot exhaust the stack. It counts the bytes of the JSON as it
 * goes, so that it stops at the limit.
 */
export function jsonProblem(value: unknown, limits: JsonLimits): string | undefined {
  const { maxBytes, maxDepth } = limits;
  const pending: Array<{ value: unknown; depth: number }> = [{ value, depth: 0 }];
  let bytes = 0;
  for (let next = pending.pop(); next; next = pending.pop()) {
    const { value: item, depth } = next;
    const problem = scalarProblem(item);
    if (problem) return problem;
    if (typeof item === 'object' && item !== null) {
      if (depth === maxDepth) return `is nested deeper than ${maxDepth} levels`;
      if (!Array.isArray(item) && !isPlainObject(item)) return NOT_JSON;
      // Two brackets, a comma before each further item, and a colon after each key.
      bytes += 2;
      let comma = 0;
      for (const key in item) {
        if (!Array.isArray(item)) {
          const keyProblem = problemOfKey(key);
          if (keyProblem) return keyProblem;
          bytes += bytesOf(key, maxBytes) + 1;
        }
        bytes += comma;
        comma = 1;
        if (bytes > maxBytes) return `is larger than ${maxBytes} bytes`;
        pending.push({ value: (item as Record<string, unknown>)[key], depth: depth + 1 });
      }
    } else {
      bytes += bytesOf(item, maxBytes);
    }
    if (bytes > maxBytes) return `is larger than ${maxBytes} bytes`;
  }
  return undefined;
}

const NOT_JSON = 'contains a value that is not JSON';

function scalarProblem(item: unknown): string | undefined {
  switch (typeof item) {
    case 'string':
      return isStorableText(item) ? undefined : 'contains a character that cannot be stored';
    case 'number':
      return Number.isFinite(item) ? undefined : 'contains a number that is not finite';
    case 'object':
    case 'boolean':
      return undefined;
    default:
      return NOT_JSON;
  }
}

function problemOfKey(key: string): string | undefined {
  if (key === '__proto__') return 'contains the key "__proto__"';
  return isStorableText(key) ? undefined : 'contains a key that cannot be stored';
}

/** Returns the size of a scalar as JSON; for a text longer than the limit only its length, which is enough. */
const bytesOf = (item: unknown, maxBytes: number): number =>
  typeof item === 'string' && item.length > maxBytes
    ? item.length
    : Buffer.byteLength(JSON.stringify(item));

export function isPlainObject(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}

/** JSON that is already serialized: `writeJson` inserts its text unchanged. */
export class PreserializedJson {
  readonly #text: string;

  constructor(text: string) {
    this.#text = text;
  }

  /** Serializers other than `writeJson` get the parsed value. */
  toJSON(): unknown {
    if (!preserialized) return JSON.parse(this.#text);
    preserialized.push(this.#text);
    return PLACEHOLDER;
  }
}

/**
 * Serializes a value once for all parts of a response that share it. The result is typed as the
 * value, because that is what clients receive.
 */
export const preserialize = <Value>(value: Value): Value =>
  new PreserializedJson(JSON.stringify(value)) as unknown as Value;

/** While `writeJson` runs, the preserialized texts that it has found so far, in order. */
let preserialized: string[] | undefined;
/** Stands for a preserialized text until `writeJson` inserts it. Callers cannot guess it. */
const PLACEHOLDER = randomUUID();

/** Like `JSON.stringify`, but inserts `PreserializedJson` unchanged. */
export const writeJson = (value: unknown): string => writeJsonChunks(value).join('');

/** Like `writeJson`, but returns parts to be joined, so that preserialized texts are not copied. */
export function writeJsonChunks(value: unknown): string[] {
  preserialized = [];
  try {
    const texts = preserialized;
    const text = JSON.stringify(value) ?? 'null';
    if (texts.length === 0) return [text];
    const [first = '', ...rest] = text.split(`"${PLACEHOLDER}"`);
    return [first, ...rest.flatMap((after, index) => [texts[index] ?? '', after])];
  } finally {
    preserialized = undefined;
  }
}
