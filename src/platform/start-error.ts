/** A problem that the operator can solve. `main` prints the message alone, without a stack, and exits 1. */
export class StartError extends Error {
  override readonly name = 'StartError';
}

/** The bare reason of a failed system call or child process, to be put into a longer sentence. */
export function reasonOf(error: unknown): string {
  // After several attempts to connect, and after `fetch`, an inner error has the reason.
  if (error instanceof AggregateError) return reasonOf(error.errors[0]);
  if (error instanceof TypeError && error.cause !== undefined) return reasonOf(error.cause);
  return error instanceof Error ? error.message : String(error);
}

/** The `code` that Node, PostgreSQL and others put on their errors, when there is one. */
export function codeOf(error: unknown): string | undefined {
  const hasCode = error instanceof Error && 'code' in error && typeof error.code === 'string';
  return hasCode ? String(error.code) : undefined;
}
