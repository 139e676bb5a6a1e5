import { randomUUID } from 'node:crypto';
import { ReadableStream } from 'node:stream/web';

/** Matches a UUID as a JSON string. The parentheses make `split` keep it. */
const QUOTED_UUID = /("[0-9a-f-]{36}")/;

/** The serialized outputs of calls. The response has a placeholder for each output, which is replaced while the response is sent. */
export class SerializedOutputs {
  readonly #chunks = new Map<string, string[]>();
  readonly #onAdd: (chunks: string[]) => void;

  constructor(onAdd: (chunks: string[]) => void) {
    this.#onAdd = onAdd;
  }

  /** Adds a serialized output. @returns a value whose JSON is a placeholder, which callers cannot guess */
  add(chunks: string[]): object {
    const placeholder = randomUUID();
    this.#chunks.set(placeholder, chunks);
    this.#onAdd(chunks);
    return { toJSON: () => placeholder };
  }

  get isEmpty(): boolean {
    return this.#chunks.size === 0;
  }

  /** Returns the same response with the placeholders replaced while the client reads it. */
  fillIn({ body, status, headers }: Response): Response {
    const filled = body && ReadableStream.from(this.#fill(body));
    return new Response(filled as Response['body'], { status, headers });
  }

  async *#fill(body: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    const encoder = new TextEncoder();
    // tRPC writes each JSON text as one chunk, so no placeholder is split.
    for await (const chunk of body) {
      for (const text of this.#textsOf(Buffer.from(chunk).toString())) yield encoder.encode(text);
    }
  }

  /** Returns the parts of a text, with its placeholders replaced. Other UUIDs in the text stay. */
  *#textsOf(text: string): Generator<string> {
    for (const part of text.split(QUOTED_UUID)) {
      const placeholder = part.slice(1, -1);
      yield* this.#chunks.get(placeholder) ?? [part];
      // An output that was sent needs no memory any more.
      this.#chunks.delete(placeholder);
    }
  }
}
