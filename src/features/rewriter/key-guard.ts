import { ModelProblem } from '../models/problems.ts';

/** This many characters of a random key in a row cannot be a coincidence. */
const REVEALING = 16;
/** A shorter key is a word that a text may hold. */
const SHORTEST = 8;
/** Fewer characters reveal nothing, and holding them back would delay every stream. */
const SUSPICIOUS = 4;

/**
 * Removes the provider's key from an answer: a gateway may repeat it, in part or across pieces. Text
 * that may be the beginning of such a part is held back until the next piece decides.
 */
export class KeyGuard {
  readonly #key: string;
  readonly #span: number;
  readonly #parts: ReadonlySet<string>;
  /** The end of what was seen, sent or not: a part may have begun in it. */
  #tail = '';
  /** The end of that which was not sent. */
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
   * @returns what can go out of the text so far.
   * @throws ModelProblem when the key, or a telling part of it, came back.
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

  /** What was held back and turned out to be nothing. */
  rest(): string {
    return this.#held;
  }

  /** How many characters at the end of the text stand in the key as well. */
  #likeKey(text: string): number {
    for (let length = this.#span - 1; length >= SUSPICIOUS; length -= 1) {
      if (length <= text.length && this.#key.includes(text.slice(-length))) return length;
    }
    return 0;
  }
}
