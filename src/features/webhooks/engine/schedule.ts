const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

/** How long after a failure the next try is made; after the last one, no more. */
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

/** What failed for so long without one success is given up. */
export const FAILING_LIMIT_MS = 5 * 24 * HOUR;

/**
 * When to try again, in milliseconds from now; nothing when it was tried often enough.
 *
 * @param failures in a row, this one included
 * @param retryAfterMs what the receiver asked for: honoured between the step and twice the step
 * @param random from 0 to 1; spreads out what failed together
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

/** The header `Retry-After`, seconds or a date, in milliseconds from now. */
export function readRetryAfter(header: string | undefined, now: number): number | undefined {
  if (header === undefined) return undefined;
  const text = header.trim();
  if (/^\d{1,10}$/.test(text)) return Number(text) * SECOND;
  // Every form of a date in HTTP begins with the day of the week, and means GMT, said or not.
  const at = /^[A-Za-z]/.test(text) ? Date.parse(`${text.replace(/ GMT$/, '')} GMT`) : Number.NaN;
  return Number.isNaN(at) ? undefined : Math.max(0, at - now);
}
