import { AsyncLocalStorage } from 'node:async_hooks';

const counting = new AsyncLocalStorage<{ statements: number }>();

/** Runs work, and counts the statements that it sends to PostgreSQL in `count`. */
export const countStatements = <Result>(
  count: { statements: number },
  work: () => Result,
): Result => counting.run(count, work);

/** Notes that a statement is sent. */
export function noteStatement(): void {
  const count = counting.getStore();
  if (count) count.statements++;
}
