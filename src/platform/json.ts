import { randomUUID } from 'node:crypto';

/** JSON as it travels, and the limits on what callers may send freely. */

export type JsonValue =
  | string
  | number
  | boolean
  | null
  | JsonValue[]
  | { [key: string]: JsonValue };

export type JsonObject = { [key: string]: JsonValue };

export interface JsonLimits {
  maxBytes: number;
  maxDepth: number;
}

/** A free JSON field (decisions section 2). */
export const FREE_JSON: JsonLimits = { maxBytes: 65_536, maxDepth: 32 };

/** Text that PostgreSQL can keep: no NUL, no half of a surrogate pair. */
export const isStorableText = (text: string): boolean =>
  !text.includes('\0') && text.isWellFormed();

/**
 * Says what is wrong with a value as JSON, or nothing. Walks without recursion, so that hostile
 * depth cannot exhaust the stack.
 */
export function jsonProblem(value: unknown, limits: JsonLimits): string | undefined {
  const pending: Array<{ value: unknown; depth: number }> = [{ value, depth: 0 }];
  for (let next = pending.pop(); next; next = pending.pop()) {
    const { value: item, depth } = next;
    if (typeof item === 'string') {
      if (!isStorableText(item)) return 'contains a character that cannot be stored';
    } else if (typeof item === 'number') {
      if (!Number.isFinite(item)) return 'contains a number that is not finite';
    } else if (typeof item === 'object' && item !== null) {
      if (depth === limits.maxDepth) return `is nested deeper than ${limits.maxDepth} levels`;
      if (!Array.isArray(item) && !isPlainObject(item)) return 'contains something that is no JSON';
      for (const [key, child] of Object.entries(item)) {
        if (key === '__proto__') return 'contains the key "__proto__"';
        if (!isStorableText(key)) return 'contains a key that cannot be stored';
        pending.push({ value: child, depth: depth + 1 });
      }
    } else if (item !== null && typeof item !== 'boolean') {
      return 'contains something that is no JSON';
    }
  }
  return Buffer.byteLength(JSON.stringify(value)) > limits.maxBytes
    ? `is larger than ${limits.maxBytes} bytes`
    : undefined;
}

function isPlainObject(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}

/** JSON that is a text already: large, and not worth making values of only to write them again. */
export class PackedJson {
  readonly #text: string;

  constructor(text: string) {
    this.#text = text;
  }

  /** Whoever writes JSON in another way than `writeJson` gets the values. */
  toJSON(): unknown {
    if (!packed) return JSON.parse(this.#text);
    packed.push(this.#text);
    return PLACE;
  }
}

/** What `writeJson` has met of packed JSON, while it runs. */
let packed: string[] | undefined;
/** Stands for packed JSON for a moment; nobody can know it. */
const PLACE = randomUUID();

/** As `JSON.stringify`, and takes packed JSON as it is. */
export function writeJson(value: unknown): string {
  packed = [];
  try {
    const pieces = packed;
    const text = JSON.stringify(value);
    if (pieces.length === 0) return text;
    const around = text.split(`"${PLACE}"`);
    return around.flatMap((before, at) => [before, pieces[at] ?? '']).join('');
  } finally {
    packed = undefined;
  }
}
