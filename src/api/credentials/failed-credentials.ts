import { AppError } from '../../platform/errors.ts';
import { KeyedBuckets } from '../../platform/limits/token-bucket.ts';
import type { Logger } from '../../platform/logging.ts';
import { networkOf } from './client-address.ts';

const MAX_KEY_CHARS = 100;

interface FailedCredentialsDependencies {
  /** The limit for one address and one key; 0 disables it. */
  perMinute: number;
  log: Logger;
}

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
  readonly #log: Logger;
  readonly #attempts: KeyedBuckets | undefined;

  constructor({ perMinute, log }: FailedCredentialsDependencies) {
    this.#log = log;
    // A bucket also admits the attempt that puts it into debt, which is one more than `burst`.
    const rate = { perSecond: perMinute / 60, burst: perMinute - 1 };
    this.#attempts = perMinute === 0 ? undefined : new KeyedBuckets(rate);
  }

  /** Counts and logs an attempt. @returns the failure for the caller: `failure`, or RESOURCE_EXHAUSTED above the limit */
  refuse({ address, level, key }: FailedAttempt, failure: AppError): AppError {
    const shortKey = key.slice(0, MAX_KEY_CHARS);
    this.#log.warn(
      { address, credentials: level, key: shortKey },
      'A request had wrong credentials.',
    );
    const name = JSON.stringify([networkOf(address), level, shortKey]);
    const waitMs = this.#attempts?.waitMs(name) ?? 0;
    if (waitMs === 0) {
      this.#attempts?.spend(name, 1);
      return failure;
    }
    const message = 'Too many wrong credentials from this address. Wait before you try others.';
    const retryAfterSeconds = Math.ceil(waitMs / 1_000);
    return new AppError('RESOURCE_EXHAUSTED', message, { retryAfterSeconds });
  }
}
