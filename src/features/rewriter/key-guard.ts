import { ModelProblem } from '../models/problems.ts';

/** This many consecutive characters of a key in an answer cannot be a coincidence. */
const REVEALING_LENGTH = 16;
/** Shorter keys may be ordinary words, so they are not searched for. */
const MIN_KEY_LENGTH = 8;
/** Fewer characters reveal nothing, and holding them back would delay every stream. */
const MIN_HELD_LENGTH = 4;

/**
 * Detects the provider's key in an answer: a gateway may repeat the key, in part or split across chunks.
 * Text that may be the beginning of the key is held back until the next chunk arrives.
 */
export class KeyGuard {
  readonly #key: string;
  /** The length of the parts that are searched for; 0 if the key is too short. */
  readonly #partLength: number;
  readonly #parts: ReadonlySet<string>;
  /** The end of the received text, in which a part of the key may begin. */
  #tail = '';
  /** The end of the received text that is held back. */
  #held = '';

  constructor(key: string) {
    this.#key = key;
    this.#partLength = key.length < MIN_KEY_LENGTH ? 0 : Math.min(key.length, REVEALING_LENGTH);
    const partCount = this.#partLength === 0 ? 0 : key.length - this.#partLength + 1;
    this.#parts = new Set(
      Array.from({ length: partCount }, (_, start) => key.slice(start, start + this.#partLength)),
    );
  }

  /**
   * Checks the next text.
   *
   * @returns the text that can be released.
   * @throws ModelProblem when the answer contains the key, or a revealing part of it.
   */
  pass(text: string): string {
    if (this.#partLength === 0) return text;
    const seen = this.#tail + text;
    for (let start = 0; start + this.#partLength <= seen.length; start += 1) {
      if (this.#parts.has(seen.slice(start, start + this.#partLength)))
        throw new ModelProblem('key_leaked');
    }
    this.#tail = seen.slice(-this.#partLength);
    const unsent = this.#held + text;
    const sentLength = unsent.length - Math.min(this.#countSuspicious(seen), unsent.length);
    this.#held = unsent.slice(sentLength);
    return unsent.slice(0, sentLength);
  }

  /** Returns the text that was held back, which is harmless once the answer has ended. */
  rest(): string {
    return this.#held;
  }

  /** Returns how many characters at the end of the text also occur in the key. */
  #countSuspicious(text: string): number {
    for (let length = this.#partLength - 1; length >= MIN_HELD_LENGTH; length -= 1) {
      if (length <= text.length && this.#key.includes(text.slice(-length))) return length;
    }
    return 0;
  }
}
