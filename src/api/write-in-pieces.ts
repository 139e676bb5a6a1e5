import { randomUUID } from 'node:crypto';
import { PreserializedJson, writeJson } from '../platform/json.ts';
import { Pace } from '../platform/turns.ts';

/** How many values and characters are written in a millisecond or two. */
const MOST_VALUES = 10_000;
const MOST_LENGTH = 256 * 1024;
/** As deep as answers hold lists: the comments of the annotations of a page. */
const DEPTH = 5;
/** What one piece of an answer is gathered to. */
const PIECE_LENGTH = 64 * 1024;

/** Whether to write it, or to check it, takes so long that it is done in pieces. */
export const isLongJson = (value: unknown): boolean =>
  weigh(value, DEPTH, { values: MOST_VALUES, length: MOST_LENGTH }) === undefined;

interface Left {
  values: number;
  length: number;
}

/** @returns what is left, or undefined when there is more */
function weigh(value: unknown, depth: number, left: Left): Left | undefined {
  if (value instanceof PreserializedJson) return undefined;
  left.values -= 1;
  if (typeof value === 'string') left.length -= value.length;
  if (left.values < 0 || left.length < 0) return undefined;
  if (typeof value !== 'object' || value === null) return left;
  const inner = depth > 0 ? (item: unknown) => weigh(item, depth - 1, left) : one(left);
  if (Array.isArray(value)) {
    // Enumerating the keys of a list would take several times as long.
    for (const item of value) if (!inner(item)) return undefined;
  } else {
    for (const key in value) {
      if (!inner((value as Record<string, unknown>)[key])) return undefined;
    }
  }
  return left;
}

/** Counts each value as one, whatever it holds. */
const one = (left: Left) => (): Left | undefined => {
  left.values -= 1;
  return left.values < 0 ? undefined : left;
};

/** Writes JSON with other work in between, as texts that follow each other. */
export async function writeInPieces(value: unknown): Promise<string[]> {
  const writer = new Writer();
  await writer.write(value, DEPTH);
  return writer.end();
}

class Writer {
  readonly #pieces: string[] = [];
  readonly #pace = new Pace();
  #piece = '';

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
      // Few things are long enough to be awaited.
      if (isObject(item)) await this.write(item, depth - 1);
      else this.#add(writeJson(item) ?? 'null');
    }
    if (separator !== ',') this.#add(separator);
    this.#add(isList ? ']' : '}');
  }

  end(): string[] {
    if (this.#piece !== '') this.#pieces.push(this.#piece);
    return this.#pieces;
  }

  #add(text: string): void {
    this.#piece += text;
    if (this.#piece.length < PIECE_LENGTH) return;
    this.#pieces.push(this.#piece);
    this.#piece = '';
  }
}

const isObject = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !(value instanceof PreserializedJson);

/** Answers that were written already, by what stands for them in the answer around them. */
export class WrittenAnswers {
  readonly #pieces = new Map<string, string[]>();

  /** Something whose JSON is a place, in which `filled` puts the texts. Nobody can know the place. */
  hold(pieces: string[]): object {
    const place = randomUUID();
    this.#pieces.set(place, pieces);
    return { toJSON: () => place };
  }

  get isEmpty(): boolean {
    return this.#pieces.size === 0;
  }

  /** The same response, with what was written in its place as it is sent. */
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
    for (const [place, pieces] of this.#pieces) {
      texts = texts.flatMap((part) => {
        const [before = '', after] = part.split(`"${place}"`, 2);
        return after === undefined ? [part] : [before, ...pieces, after];
      });
    }
    return texts;
  }
}
