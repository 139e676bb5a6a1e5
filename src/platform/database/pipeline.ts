import type { PoolClient } from 'pg';

/** Buffers writes to the connection until the current turn of the event loop is over. */
export function sendTogether({ connection: { stream } }: PoolClient): void {
  stream.cork();
  process.nextTick(() => stream.uncork());
}

/**
 * Awaits statements of one transaction that were issued together, so that they are sent together and
 * run in that order.
 *
 * @returns the results, in the order of `statements`
 * @throws the failure of the first statement that failed, as if each had waited for the one before.
 *   All have settled by then, so the caller can roll back.
 */
export async function pipeline<Statements extends readonly unknown[]>(
  statements: readonly [...Statements],
): Promise<{ -readonly [Index in keyof Statements]: Awaited<Statements[Index]> }> {
  const settled = await Promise.allSettled(statements);
  const failed = settled.find(({ status }) => status === 'rejected');
  if (failed?.status === 'rejected') throw failed.reason;
  return Promise.all(statements);
}
