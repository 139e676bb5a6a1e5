import { isRetryable } from './database-errors.ts';

/** Attempts for work that lost a race (deadlock, serialization) or met a read-only server. */
const ATTEMPTS = 3;

/** Runs `work`, and repeats it a few times when its failure may be temporary. */
export async function withRetries<Result>(
  work: () => Promise<Result>,
  isWorthAnother: (error: unknown) => boolean = isRetryable,
): Promise<Result> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await work();
    } catch (error) {
      if (attempt === ATTEMPTS || !isWorthAnother(error)) throw error;
    }
  }
}
