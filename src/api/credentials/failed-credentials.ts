import type { Clock } from '../../platform/clock.ts';
import { AppError } from '../../platform/errors.ts';
import type { Logger } from '../../platform/logging.ts';
import { networkOf } from './client-address.ts';

const WINDOW_MS = 60_000;
/** Limits the memory for counters, however many attackers there are. */
const MAX_WINDOWS = 10_000;
const MAX_KEY_CHARS = 100;

interface FailedCredentialsParts {
  /** The limit for one address and one key; 0 disables it. */
  perMinute: number;
  clock: Clock;
  log: Logger;
}

/** An attempt with wrong credentials. */
export interface FailedAttempt {
  address: string;
  level: 'admin' | 'workspace' | 'apiKey' | 'userToken' | 'metrics';
  /** The API key or the workspace that the credentials name, if any; otherwise a fixed name. */
  key: string;
}

/**
 * Counts and logs wrong credentials by address and key, in this process. Only wrong credentials
 * count, so valid ones are accepted whatever other clients have tried.
 */
export class FailedCredentials {
  readonly #parts: FailedCredentialsParts;
  /** Ordered from the oldest to the newest window. */
  readonly #windows = new Map<string, { count: number; endsAt: number }>();

  constructor(parts: FailedCredentialsParts) {
    this.#parts = parts;
  }

  /** @returns the failure for the caller: `failure`, or RESOURCE_EXHAUSTED above the limit */
  refuse({ address, level, key }: FailedAttempt, failure: AppError): AppError {
    const { perMinute, clock, log } = this.#parts;
    const shortKey = key.slice(0, MAX_KEY_CHARS);
    log.warn({ address, credentials: level, key: shortKey }, 'Wrong credentials were shown.');
    const now = clock.now();
    const windowKey = JSON.stringify([networkOf(address), level, shortKey]);
    const { count, endsAt } = this.#count(windowKey, now);
    if (perMinute === 0 || count <= perMinute) return failure;
    const message = 'Too many wrong credentials from this address. Wait before you try others.';
    const retryAfterSeconds = Math.max(1, Math.ceil((endsAt - now) / 1000));
    return new AppError('RESOURCE_EXHAUSTED', message, { retryAfterSeconds });
  }

  /** Counts an attempt, and returns the current window of its address and key. */
  #count(windowKey: string, now: number) {
    const window = this.#windows.get(windowKey);
    if (window && window.endsAt > now) {
      window.count++;
      return window;
    }
    this.#windows.delete(windowKey);
    const [oldest] = this.#windows.keys();
    if (oldest && this.#windows.size >= MAX_WINDOWS) this.#windows.delete(oldest);
    const newWindow = { count: 1, endsAt: now + WINDOW_MS };
    this.#windows.set(windowKey, newWindow);
    return newWindow;
  }
}
