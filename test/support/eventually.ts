import { setTimeout as sleep } from 'node:timers/promises';

const DEADLINE_MS = 30_000;

/**
 * For changes that must take effect within a second. It leaves room for machines that are busy, and
 * is less than the 5 s after which slow polls would find the same change.
 */
export const SOON_MS = 4_000;

/**
 * Repeats `check` until it does not throw. At the deadline it throws the last error. Give another
 * deadline only if a later success would be a defect.
 */
export async function eventually<Result>(
  check: () => Result | Promise<Result>,
  deadlineMs = DEADLINE_MS,
): Promise<Result> {
  const deadline = Date.now() + deadlineMs;
  for (;;) {
    try {
      return await check();
    } catch (error) {
      if (Date.now() > deadline) throw error;
      await sleep(10);
    }
  }
}
