import { randomUUID } from 'node:crypto';

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

  /** Returns the same response with the placeholders replaced while it is sent. */
  fillIn({ body, status, headers }: Response): Response {
    const encoder = new TextEncoder();
    const filling = new TransformStream<Uint8Array, Uint8Array>({
      // tRPC writes each JSON text as one chunk, so no placeholder is split.
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
