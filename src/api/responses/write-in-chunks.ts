import { randomUUID } from 'node:crypto';
import { Pace } from '../../platform/event-loop.ts';
import { PreserializedJson, writeJson } from '../../platform/json.ts';

/** How many values and characters are serialized in a millisecond or two. */
const MAX_VALUES = 10_000;
const MAX_LENGTH = 256 * 1024;
/** The depth to which answers contain lists, such as the comments of the annotations of a page. */
const DEPTH = 5;
/** The length of the chunks of an answer. */
const CHUNK_LENGTH = 64 * 1024;

/** Objects that need not be weighed again. */
const knownShort = new WeakSet<object>();

/** Whether serializing or validating the value takes so long that it is done in chunks. */
export const isLongJson = (value: unknown): boolean =>
  !knownShort.has(value as object) &&
  !fits(value, DEPTH, { values: MAX_VALUES, length: MAX_LENGTH });

/** Notes that the value is not long, since it was made from one that is not. */
export function noteShort<Value>(value: Value): Value {
  if (isObject(value)) knownShort.add(value);
  return value;
}

interface Left {
  values: number;
  length: number;
}

/** Takes a value from what is left of the limits, and returns whether it was enough. */
function fits(value: unknown, depth: number, left: Left): boolean {
  left.values -= 1;
  if (typeof value === 'string') left.length -= value.length;
  if (left.values < 0 || left.length < 0) return false;
  if (typeof value !== 'object' || value === null) return true;
  if (value instanceof PreserializedJson) return false;
  if (Array.isArray(value)) {
    // Enumerating the keys of a list would take several times as long.
    for (const item of value) if (!fitsWithin(item, depth, left)) return false;
  } else {
    for (const key in value) {
      if (!fitsWithin((value as Record<string, unknown>)[key], depth, left)) return false;
    }
  }
  return true;
}

/** Below the depth, each value counts as one, whatever it holds. */
function fitsWithin(item: unknown, depth: number, left: Left): boolean {
  if (depth > 0) return fits(item, depth - 1, left);
  left.values -= 1;
  return left.values >= 0;
}

/** Serializes a value in chunks, and yields to other work in between. */
export async function writeInChunks(value: unknown): Promise<string[]> {
  const writer = new Writer();
  await writer.write(value, DEPTH);
  return writer.end();
}

class Writer {
  readonly #chunks: string[] = [];
  readonly #pace = new Pace();
  #chunk = '';

  async write(value: unknown, depth: number): Promise<void> {
    await this.#pace.next();
    if (depth === 0 || !isObject(value) || !isLongJson(value)) {
      return this.#add(writeJson(value) ?? 'null');
    }
    const isList = Array.isArray(value);
    let separator = isList ? '[' : '{';
    for (const [key, item] of Object.entries(value)) {
      if (item === undefined && !isList) continue;
      this.#add(isList ? separator : `${separator}${JSON.stringify(key)}:`);
      separator = ',';
      // Awaiting scalars as well would cost more than serializing them.
      if (isObject(item)) await this.write(item, depth - 1);
      else this.#add(writeJson(item) ?? 'null');
    }
    if (separator !== ',') this.#add(separator);
    this.#add(isList ? ']' : '}');
  }

  end(): string[] {
    if (this.#chunk !== '') this.#chunks.push(this.#chunk);
    return this.#chunks;
  }

  #add(text: string): void {
    this.#chunk += text;
    if (this.#chunk.length < CHUNK_LENGTH) return;
    this.#chunks.push(this.#chunk);
    this.#chunk = '';
  }
}

const isObject = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !(value instanceof PreserializedJson);

/** Answers that are serialized already, by the placeholders in the answers around them. */
export class WrittenAnswers {
  readonly #chunks = new Map<string, string[]>();

  /** Returns a value whose JSON is a placeholder that callers cannot guess; `fillIn` replaces it. */
  hold(chunks: string[]): object {
    const placeholder = randomUUID();
    this.#chunks.set(placeholder, chunks);
    return { toJSON: () => placeholder };
  }

  get isEmpty(): boolean {
    return this.#chunks.size === 0;
  }

  /** Returns the same response with the placeholders replaced while it is sent. */
  fillIn({ body, status, headers }: Response): Response {
    const encoder = new TextEncoder();
    const filling = new TransformStream<Uint8Array, Uint8Array>({
      transform: (chunk, controller) => {
        const texts = this.#fill(Buffer.from(chunk).toString());
        for (const text of texts) controller.enqueue(encoder.encode(text));
      },
    });
    return new Response(body?.pipeThrough(filling) ?? null, { status, headers });
  }

  #fill(text: string): string[] {
    let texts = [text];
    for (const [placeholder, chunks] of this.#chunks) {
      texts = texts.flatMap((part) => {
        const [before = '', after] = part.split(`"${placeholder}"`, 2);
        return after === undefined ? [part] : [before, ...chunks, after];
      });
    }
    return texts;
  }
}
