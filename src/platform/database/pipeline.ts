/**
 * Awaits statements of one transaction that were issued together, and so are sent together and run
 * in that order.
 *
 * @returns the results, in the order of `statements`.
 * @throws the first failure, after all statements have settled, so that the caller can roll back.
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
