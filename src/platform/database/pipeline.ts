/**
 * Waits for statements of one transaction that were asked for together, and so were sent together
 * and run in the order in which they were asked for.
 *
 * @returns the results, in the order of `statements`.
 * @throws the failure that came first, once all have settled: nothing still uses the transaction
 *   when its caller rolls it back.
 */
export async function pipeline<Statements extends readonly unknown[]>(
  statements: readonly [...Statements],
): Promise<{ -readonly [Index in keyof Statements]: Awaited<Statements[Index]> }> {
  const settled = Promise.allSettled(statements);
  try {
    return await Promise.all(statements);
  } finally {
    await settled;
  }
}
