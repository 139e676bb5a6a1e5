import { ModelProblem } from '../models/problems.ts';

/** This many consecutive characters of a random key cannot be a coincidence. */
const REVEALING = 16;
/** A shorter key may be an ordinary word. */
const SHORTEST = 8;
/** Fewer characters reveal nothing, and holding them back would delay every stream. */
const SUSPICIOUS = 4;

/**
 * Detects the provider's key in an answer, since a gateway may repeat it, in part or across chunks.
 * Text that may be the beginning of the key is held back until the next chunk arrives.
 */
export class KeyGuard {
  readonly #key: string;
  readonly #span: number;
  readonly #parts: ReadonlySet<string>;
  /** The end of all received text, in which the key may have begun. */
  #tail = '';
  /** The end of the text that was not yet released. */
  #held = '';

  constructor(key: string) {
    this.#key = key;
    this.#span = key.length < SHORTEST ? 0 : Math.min(key.length, REVEALING);
    const starts = this.#span === 0 ? 0 : key.length - this.#span + 1;
    this.#parts = new Set(
      Array.from({ length: starts }, (_, at) => key.slice(at, at + this.#span)),
    );
  }

  /**
   * @returns the text that can be released.
   * @throws ModelProblem when the answer contains the key, or a revealing part of it.
   */
  pass(text: string): string {
    if (this.#span === 0) return text;
    const seen = this.#tail + text;
    for (let at = 0; at + this.#span <= seen.length; at += 1) {
      if (this.#parts.has(seen.slice(at, at + this.#span))) throw new ModelProblem('key_leaked');
    }
    this.#tail = seen.slice(-this.#span);
    const unsent = this.#held + text;
    const sent = unsent.length - Math.min(this.#likeKey(seen), unsent.length);
    this.#held = unsent.slice(sent);
    return unsent.slice(0, sent);
  }

  /** Returns held text at the end, which was harmless. */
  rest(): string {
    return this.#held;
  }

  /** Returns how many characters at the end of the text also occur in the key. */
  #likeKey(text: string): number {
    for (let length = this.#span - 1; length >= SUSPICIOUS; length -= 1) {
      if (length <= text.length && this.#key.includes(text.slice(-length))) return length;
    }
    return 0;
  }
}
