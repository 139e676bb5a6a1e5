const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

/** The delay before each retry. A delivery that fails after the last retry is given up. */
const STEPS_MS = [
  5 * SECOND,
  5 * MINUTE,
  30 * MINUTE,
  2 * HOUR,
  5 * HOUR,
  10 * HOUR,
  10 * HOUR,
] as const;

const JITTER = 0.2;

/** An endpoint that fails for so long without one success is disabled. */
export const FAILING_LIMIT_MS = 5 * 24 * HOUR;

/**
 * The delay before the next retry in milliseconds, or undefined when there are no more retries.
 *
 * @param failures in a row, this one included
 * @param retryAfterMs the receiver's wish, honoured between the step and twice the step
 * @param random from 0 to 1; spreads out deliveries that failed together
 */
export function retryDelayMs(
  failures: number,
  retryAfterMs: number | undefined,
  random: number,
): number | undefined {
  const stepMs = STEPS_MS[failures - 1];
  if (stepMs === undefined) return undefined;
  if (retryAfterMs !== undefined) return Math.min(Math.max(retryAfterMs, stepMs), 2 * stepMs);
  return Math.round(stepMs * (1 - JITTER + 2 * JITTER * random));
}
