import { CollaborationError } from './error.ts';

type Answer = string | { token: string };

/** A user token, or a function that gets one from the app's own server, as text or `{ token }`. */
export type Token = string | (() => Answer | Promise<Answer>);

/** The part of a token's life after which it is renewed, so that it never ends in use. */
const RENEWED_AFTER = 0.8;

interface Held {
  token: string;
  /** In the time of `performance.now()`, since a browser's clock may be wrong. */
  renewAt: number;
}

/** The current user token, which is asked for again before it expires, once for all who wait. */
export class TokenSource {
  readonly #token: Token;
  #held: Held | undefined;
  #asking: Promise<string> | undefined;

  constructor(token: Token) {
    this.#token = token;
  }

  /** @throws CollaborationError when the app's function fails */
  async get(): Promise<string> {
    if (typeof this.#token === 'string') return this.#token;
    if (this.#held && performance.now() < this.#held.renewAt) return this.#held.token;
    this.#asking ??= this.#ask(this.#token).finally(() => {
      this.#asking = undefined;
    });
    return this.#asking;
  }

  /**
   * Forgets a token that the server refused.
   *
   * @returns whether the next one may be another
   */
  refuse(token: string | undefined): boolean {
    if (typeof this.#token === 'string') return false;
    if (this.#held?.token === token) this.#held = undefined;
    return true;
  }

  async #ask(ask: () => Answer | Promise<Answer>): Promise<string> {
    const answer = await askApp(ask);
    const token = typeof answer === 'string' ? answer : answer.token;
    this.#held = { token, renewAt: performance.now() + RENEWED_AFTER * lifeOf(token) };
    return token;
  }
}

async function askApp(ask: () => Answer | Promise<Answer>): Promise<Answer> {
  try {
    return await ask();
  } catch (cause) {
    const message = `The app gave no token: ${cause instanceof Error ? cause.message : cause}`;
    throw new CollaborationError({ status: 'UNAUTHENTICATED', httpStatus: 0, message, cause });
  }
}

/** The time from issue to expiry in milliseconds; Infinity for a token without these claims. */
function lifeOf(token: string): number {
  try {
    const payload = token.split('.')[1] ?? '';
    const { iat, exp } = JSON.parse(atob(payload.replaceAll('-', '+').replaceAll('_', '/')));
    const life = (exp - iat) * 1000;
    return life > 0 ? life : Number.POSITIVE_INFINITY;
  } catch {
    return Number.POSITIVE_INFINITY;
  }
}
