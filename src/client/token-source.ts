import { CollaborationError } from './error.ts';
import { delay } from './retry.ts';

type Answer = string | { token: string } | Response;

/**
 * A user token, or a function that gets one from the app's own server. The function returns the `Response` of `fetch`,
 * the token as text, or `{ token }`. A response with 401 or 403, or without a token, means that nobody is signed in.
 */
export type Token = string | (() => Answer | Promise<Answer>);

/** The result of the last request to the app: a token, nobody is signed in, or a failure. */
export type TokenState = 'given' | 'signedOut' | 'unreachable';

/** A token is renewed when this part of its lifetime has passed, so that it does not expire while it is in use. */
const RENEWED_AT_PART = 0.8;

/** After a failure, the app is not asked again for this time. Each further failure doubles the time, up to the maximum. */
const FIRST_WAIT_MS = 1_000;
const MAX_WAIT_MS = 30_000;
/** If the app returns a refused token again, this token is used for this time before the app is asked for another one. */
const RETURNED_AGAIN_MS = 5_000;
/** All calls wait for the same request to the app, so a dead connection must not delay them forever. */
const ASK_TIMEOUT_MS = 30_000;

/** Shown to the user while the app returns no token. */
export const SIGNED_OUT = 'You are signed out. Sign in to continue.';

interface LastFailure {
  error: unknown;
  /** The number of failures in a row. */
  count: number;
  retryAt: number;
}

/** The token in use. Its times are values of `performance.now()`, since a browser's clock may be wrong. */
interface CurrentToken {
  token: string;
  renewAt: number;
  validUntil: number;
}

/** Gets the current user token from the app, and a new one before it expires. Simultaneous callers share a request. */
export class TokenSource {
  readonly #token: Token;
  readonly #onStateChange: (state: TokenState) => void;
  #state: TokenState = 'given';
  #current: CurrentToken | undefined;
  #pending: Promise<string> | undefined;
  /** Set while the app returns no token. */
  #lastFailure: LastFailure | undefined;
  /** The token that the server refused last, and whether the app has returned it again since. */
  #refused: { token: string | undefined; wasReturnedAgain: boolean } | undefined;

  constructor(token: Token, onStateChange: (state: TokenState) => void = () => {}) {
    this.#token = token;
    this.#onStateChange = onStateChange;
  }

  get state(): TokenState {
    return this.#state;
  }

  /** Makes the next `get` ask the app, even directly after a failure. */
  retry(): void {
    if (this.#lastFailure) this.#lastFailure.retryAt = 0;
  }

  /**
   * Returns the current token, or asks the app for one.
   *
   * @throws CollaborationError when the app's function fails. For some time afterwards, this throws the same error
   * without calling the function, so that not every part of a page calls it again.
   */
  async get(): Promise<string> {
    if (typeof this.#token === 'string') return this.#token;
    if (this.#current && performance.now() < this.#current.renewAt) return this.#current.token;
    if (this.#lastFailure && performance.now() < this.#lastFailure.retryAt)
      throw this.#lastFailure.error;
    this.#pending ??= this.#renew(this.#token).finally(() => {
      this.#pending = undefined;
    });
    return this.#pending;
  }

  /**
   * Forgets a token that the server refused, so that the app is asked for another one. If the app has already
   * returned the refused token again, the app is asked only after a few seconds.
   *
   * @returns whether another token may be accepted
   */
  discard(token: string | undefined): boolean {
    if (typeof this.#token === 'string') return false;
    const last = this.#refused;
    const wasReturnedAgain = last?.token === token && last?.wasReturnedAgain === true;
    this.#refused = { token, wasReturnedAgain };
    const current = this.#current?.token === token ? this.#current : undefined;
    if (current && wasReturnedAgain) {
      current.renewAt = Math.min(current.renewAt, performance.now() + RETURNED_AGAIN_MS);
    } else if (current) this.#current = undefined;
    return !wasReturnedAgain;
  }

  #setState(state: TokenState): void {
    if (state === this.#state) return;
    this.#state = state;
    this.#onStateChange(state);
  }

  async #renew(getToken: () => Answer | Promise<Answer>): Promise<string> {
    let token: string;
    try {
      token = await requestToken(getToken);
    } catch (error) {
      return this.#fallBackAfter(error);
    }
    this.#setState('given');
    this.#lastFailure = undefined;
    if (this.#refused?.token === token) this.#refused.wasReturnedAgain = true;
    const now = performance.now();
    const lifetimeMs = lifetimeMsOf(token);
    this.#current = {
      token,
      renewAt: now + RENEWED_AT_PART * lifetimeMs,
      validUntil: now + lifetimeMs,
    };
    return token;
  }

  /** Returns the current token while it is valid, unless nobody is signed in. @throws the error otherwise */
  #fallBackAfter(error: unknown): string {
    const count = (this.#lastFailure?.count ?? 0) + 1;
    const waitMs = Math.min(MAX_WAIT_MS, FIRST_WAIT_MS * 2 ** (count - 1));
    const retryAt = performance.now() + waitMs;
    this.#lastFailure = { error, count, retryAt };
    if (isSignedOut(error)) this.#current = undefined;
    const current = this.#current;
    if (current && performance.now() < current.validUntil) {
      current.renewAt = Math.min(retryAt, current.validUntil);
      return current.token;
    }
    this.#setState(isSignedOut(error) ? 'signedOut' : 'unreachable');
    throw error;
  }
}

/** Whether the app reported that nobody is signed in. */
const isSignedOut = (error: unknown): boolean =>
  error instanceof CollaborationError && error.reason === 'SIGNED_OUT';

async function requestToken(getToken: () => Answer | Promise<Answer>): Promise<string> {
  let answer: unknown;
  const answered = new AbortController();
  const timeout = delay(ASK_TIMEOUT_MS, answered.signal).then(() => {
    throw new Error(`it did not respond within ${ASK_TIMEOUT_MS / 1_000} seconds.`);
  });
  try {
    answer = await Promise.race([readAnswer(getToken), timeout]);
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : cause;
    const message = `The app's own server returned no token: ${reason}`;
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
    // The cause is what the app's endpoint returned instead of a token.
    cause: answer,
  });
}

/** @throws when the app's server has failed */
async function readAnswer(getToken: () => Answer | Promise<Answer>): Promise<unknown> {
  const answer = await getToken();
  if (!(answer instanceof Response) || answer.status === 401 || answer.status === 403)
    return answer;
  if (!answer.ok) throw new Error(`it responded with ${answer.status}.`);
  return answer.json();
}

/** The time from issue to expiry, in milliseconds; Infinity for a token without `iat` or `exp`. */
function lifetimeMsOf(token: string): number {
  try {
    const { iat, exp } = claimsOf(token);
    const lifetimeMs = (exp - iat) * 1000;
    return lifetimeMs > 0 ? lifetimeMs : Number.POSITIVE_INFINITY;
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

/** Reads the claims of a user token. @throws for a text that is not a token */
export function claimsOf(token: string): Claims {
  const payload = token.split('.')[1] ?? '';
  const text = atob(payload.replaceAll('-', '+').replaceAll('_', '/'));
  // `atob` returns the bytes of UTF-8 as characters. Percent-encode each of them, so that they can be decoded as UTF-8.
  const encode = (byte: string) => `%${byte.charCodeAt(0).toString(16).padStart(2, '0')}`;
  return JSON.parse(decodeURIComponent(text.replace(/./gs, encode)));
}
