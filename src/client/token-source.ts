import { CollaborationError } from './error.ts';
import { delay } from './retry.ts';

type Answer = string | { token: string } | Response;

/**
 * A user token, or a function that gets one from the app's own server: its answer as `fetch` returns it, or the
 * token as text or `{ token }`. The answers 401 and 403, and those without a token, mean that nobody is signed in.
 */
export type Token = string | (() => Answer | Promise<Answer>);

/** The last answer of the app: a token, the answer that nobody is signed in, or a failure. */
export type TokenState = 'given' | 'signedOut' | 'unreachable';

/** A token is renewed after this part of its lifetime, so that it does not expire in use. */
const RENEWED_AFTER = 0.8;

/** The wait after a first failure; each further one doubles it, up to the longest. */
const FIRST_WAIT_MS = 1_000;
const LONGEST_WAIT_MS = 30_000;
/** How long a refused token is used if the app returns it again. */
const RETURNED_AGAIN_MS = 5_000;
/** A request on a dead connection would hold up all others, since they share its token. */
const LONGEST_ASK_MS = 30_000;

/** Shown to the user while the app gives no token. */
export const SIGNED_OUT = 'You are signed out. Sign in to continue.';

interface Failed {
  error: unknown;
  /** The number of failures in a row. */
  times: number;
  retryAt: number;
}

/** The token in use. Its times are from `performance.now()`, since a browser's clock may be wrong. */
interface Held {
  token: string;
  renewAt: number;
  validUntil: number;
}

/** Gets the current user token from the app, and a new one before it expires. Callers share a request. */
export class TokenSource {
  readonly #token: Token;
  /** Called when the state changes. */
  readonly #changed: (state: TokenState) => void;
  #state: TokenState = 'given';
  #held: Held | undefined;
  #pending: Promise<string> | undefined;
  /** Set while the app returns no token. */
  #failed: Failed | undefined;
  /** The token that the server refused last, and whether the app has returned it again since. */
  #refused: { token: string | undefined; wasReturnedAgain: boolean } | undefined;

  constructor(token: Token, changed: (state: TokenState) => void = () => {}) {
    this.#token = token;
    this.#changed = changed;
  }

  get state(): TokenState {
    return this.#state;
  }

  /** Makes the next call ask the app, even directly after a failure. */
  retry(): void {
    if (this.#failed) this.#failed.retryAt = 0;
  }

  /**
   * @throws CollaborationError when the app's function fails, and for some time afterwards without a
   * call of the function, since every part of a page would call it again
   */
  async get(): Promise<string> {
    if (typeof this.#token === 'string') return this.#token;
    if (this.#held && performance.now() < this.#held.renewAt) return this.#held.token;
    if (this.#failed && performance.now() < this.#failed.retryAt) throw this.#failed.error;
    this.#pending ??= this.#ask(this.#token).finally(() => {
      this.#pending = undefined;
    });
    return this.#pending;
  }

  /**
   * Forgets a token that the server refused, so that the app is asked for another one. If the app has
   * returned the refused token again, it is asked only after a few seconds.
   *
   * @returns whether another token may be accepted
   */
  refuse(token: string | undefined): boolean {
    if (typeof this.#token === 'string') return false;
    const last = this.#refused;
    const wasReturnedAgain = last?.token === token && last?.wasReturnedAgain === true;
    this.#refused = { token, wasReturnedAgain };
    const held = this.#held?.token === token ? this.#held : undefined;
    if (held && wasReturnedAgain) {
      held.renewAt = Math.min(held.renewAt, performance.now() + RETURNED_AGAIN_MS);
    } else if (held) this.#held = undefined;
    return !wasReturnedAgain;
  }

  #setState(state: TokenState): void {
    if (state === this.#state) return;
    this.#state = state;
    this.#changed(state);
  }

  async #ask(ask: () => Answer | Promise<Answer>): Promise<string> {
    let token: string;
    try {
      token = await askApp(ask);
    } catch (error) {
      return this.#tokenAfter(error);
    }
    this.#setState('given');
    this.#failed = undefined;
    if (this.#refused?.token === token) this.#refused.wasReturnedAgain = true;
    const [now, lifeMs] = [performance.now(), lifetimeMsOf(token)];
    this.#held = { token, renewAt: now + RENEWED_AFTER * lifeMs, validUntil: now + lifeMs };
    return token;
  }

  /** Returns the held token while it is valid, unless nobody is signed in. @throws the error otherwise */
  #tokenAfter(error: unknown): string {
    const times = (this.#failed?.times ?? 0) + 1;
    const waitMs = Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** (times - 1));
    const retryAt = performance.now() + waitMs;
    this.#failed = { error, times, retryAt };
    if (isSignedOut(error)) this.#held = undefined;
    const held = this.#held;
    if (held && performance.now() < held.validUntil) {
      held.renewAt = Math.min(retryAt, held.validUntil);
      return held.token;
    }
    this.#setState(isSignedOut(error) ? 'signedOut' : 'unreachable');
    throw error;
  }
}

/** Whether the app reported that nobody is signed in. */
const isSignedOut = (error: unknown): boolean =>
  error instanceof CollaborationError && error.reason === 'SIGNED_OUT';

async function askApp(ask: () => Answer | Promise<Answer>): Promise<string> {
  let answer: unknown;
  const answered = new AbortController();
  const timeout = delay(LONGEST_ASK_MS, answered.signal).then(() => {
    throw new Error(`it did not answer within ${LONGEST_ASK_MS / 1_000} seconds.`);
  });
  try {
    answer = await Promise.race([readAnswer(ask), timeout]);
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : cause;
    const message = `The app's own server, which gives tokens, cannot be reached: ${why}`;
    throw new CollaborationError({ status: 'UNAVAILABLE', httpStatus: 0, message, cause });
  } finally {
    answered.abort();
  }
  const token = typeof answer === 'string' ? answer : (answer as { token?: unknown } | null)?.token;
  if (typeof token === 'string' && token !== '') return token;
  throw new CollaborationError({
    status: 'UNAUTHENTICATED',
    httpStatus: 0,
    message: SIGNED_OUT,
    details: { reason: 'SIGNED_OUT' },
    // The app's endpoint answers this to people who are not signed in.
    cause: answer,
  });
}

/** @throws when the app's server has failed */
async function readAnswer(ask: () => Answer | Promise<Answer>): Promise<unknown> {
  const answer = await ask();
  if (!(answer instanceof Response) || answer.status === 401 || answer.status === 403)
    return answer;
  if (!answer.ok) throw new Error(`it answered ${answer.status}.`);
  return answer.json();
}

/** The time from issue to expiry in milliseconds; Infinity for a token without these claims. */
function lifetimeMsOf(token: string): number {
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
  /** Unix seconds, like `exp`. */
  iat: number;
  exp: number;
}

/** The claims of a user token. @throws for a text that is not a token */
export function claimsOf(token: string): Claims {
  const payload = token.split('.')[1] ?? '';
  const text = atob(payload.replaceAll('-', '+').replaceAll('_', '/'));
  // The bytes of UTF-8, each as two hexadecimal digits.
  const encode = (byte: string) => `%${(byte.charCodeAt(0) + 256).toString(16).slice(1)}`;
  return JSON.parse(decodeURIComponent(text.replace(/./gs, encode)));
}
