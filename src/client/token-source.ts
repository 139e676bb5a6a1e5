import { CollaborationError } from './error.ts';

type Answer = string | { token: string };

/** A user token, or a function that gets one from the app's own server, as text or `{ token }`. */
export type Token = string | (() => Answer | Promise<Answer>);

/** Whether the app gives tokens, says that nobody is signed in, or fails. */
export type TokenState = 'given' | 'signedOut' | 'unreachable';

/** The part of a token's life after which it is renewed, so that it never ends in use. */
const RENEWED_AFTER = 0.8;

/** The wait after a first failure; each further one doubles it, up to the longest. */
const FIRST_WAIT_MS = 1_000;
const LONGEST_WAIT_MS = 30_000;
/** How long a token is used that the app gives again although the server has refused it. */
const REFUSED_AGAIN_MS = 5_000;

interface Failed {
  error: unknown;
  /** How often in a row. */
  times: number;
  askAt: number;
}

interface Held {
  token: string;
  /** In the time of `performance.now()`, since a browser's clock may be wrong. */
  renewAt: number;
}

/** The current user token, which is asked for again before it expires, once for all who wait. */
export class TokenSource {
  readonly #token: Token;
  /** Called when the state changes. */
  readonly #changed: (state: TokenState) => void;
  #state: TokenState = 'given';
  #held: Held | undefined;
  #asking: Promise<string> | undefined;
  /** Set while the app gives no token. */
  #failed: Failed | undefined;
  /** The token that the server refused last, and whether the app has given it again since. */
  #refused: { token: string | undefined; isGivenAgain: boolean } | undefined;

  constructor(token: Token, changed: (state: TokenState) => void = () => {}) {
    this.#token = token;
    this.#changed = changed;
  }

  /** Asks the app at the next call, also if it has failed a moment ago. */
  retry(): void {
    if (this.#failed) this.#failed.askAt = 0;
  }

  /**
   * @throws CollaborationError when the app's function fails, and for some time after it failed,
   * since every part of a page would ask it again
   */
  async get(): Promise<string> {
    if (typeof this.#token === 'string') return this.#token;
    if (this.#held && performance.now() < this.#held.renewAt) return this.#held.token;
    if (this.#failed && performance.now() < this.#failed.askAt) throw this.#failed.error;
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
    const isGivenAgain = this.#refused?.token === token && this.#refused?.isGivenAgain === true;
    const held = this.#held;
    if (held && held.token === token) {
      const renewAt = Math.min(held.renewAt, performance.now() + REFUSED_AGAIN_MS);
      this.#held = isGivenAgain ? { token, renewAt } : undefined;
    }
    if (this.#refused?.token !== token) this.#refused = { token, isGivenAgain };
    return !isGivenAgain;
  }

  #become(state: TokenState): void {
    if (state !== this.#state) this.#changed(state);
    this.#state = state;
  }

  async #ask(ask: () => Answer | Promise<Answer>): Promise<string> {
    const token = await askApp(ask).catch((error: unknown) => {
      const times = (this.#failed?.times ?? 0) + 1;
      const waitMs = Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** (times - 1));
      this.#failed = { error, times, askAt: performance.now() + waitMs };
      this.#become(isSignedOut(error) ? 'signedOut' : 'unreachable');
      throw error;
    });
    this.#become('given');
    this.#failed = undefined;
    if (this.#refused?.token === token) this.#refused.isGivenAgain = true;
    this.#held = { token, renewAt: performance.now() + RENEWED_AFTER * lifeOf(token) };
    return token;
  }
}

/** Whether the app says that nobody is signed in. */
export const isSignedOut = (error: unknown): boolean =>
  error instanceof CollaborationError && error.reason === 'SIGNED_OUT';

async function askApp(ask: () => Answer | Promise<Answer>): Promise<string> {
  let answer: unknown;
  try {
    answer = await ask();
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : cause;
    const message = `The app's own server, which gives tokens, cannot be reached: ${why}`;
    throw new CollaborationError({ status: 'UNAVAILABLE', httpStatus: 0, message, cause });
  }
  const token = typeof answer === 'string' ? answer : (answer as { token?: unknown } | null)?.token;
  if (typeof token === 'string' && token !== '') return token;
  throw new CollaborationError({
    status: 'UNAUTHENTICATED',
    httpStatus: 0,
    message: 'You are signed out. Sign in to go on.',
    details: { reason: 'SIGNED_OUT' },
    // The app's endpoint answers this to people who are not signed in.
    cause: answer,
  });
}

/** The time from issue to expiry in milliseconds; Infinity for a token without these claims. */
function lifeOf(token: string): number {
  try {
    const { iat, exp } = claimsOf(token);
    const life = (exp - iat) * 1000;
    return life > 0 ? life : Number.POSITIVE_INFINITY;
  } catch {
    return Number.POSITIVE_INFINITY;
  }
}

/** The claims of a user token that the client reads. */
interface Claims {
  sub: string;
  /** In seconds. */
  iat: number;
  exp: number;
}

/** The claims of a user token. @throws for a text that is no token */
export function claimsOf(token: string): Claims {
  const payload = token.split('.')[1] ?? '';
  const text = atob(payload.replaceAll('-', '+').replaceAll('_', '/'));
  // The bytes of UTF-8, each as two hexadecimal digits.
  const encode = (byte: string) => `%${(byte.charCodeAt(0) + 256).toString(16).slice(1)}`;
  return JSON.parse(decodeURIComponent(text.replace(/./gs, encode)));
}
