import { setTimeout as sleep } from 'node:timers/promises';

/** Repeats `check` until it does not throw. At the deadline it throws the last error. */
export async function eventually<Result>(
  check: () => Result | Promise<Result>,
  deadlineMs = 20_000,
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
