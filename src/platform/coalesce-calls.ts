/**
 * Returns a function that calls `ask` once for several callers. No caller gets a result that is
 * older than the call: callers who come while `ask` is running share the next run, because the
 * current run may have read its data before they came.
 */
export function coalesceCalls<Result>(ask: () => Promise<Result>): () => Promise<Result> {
  let running: Promise<unknown> = Promise.resolve();
  let next: Promise<Result> | undefined;
  return () => {
    next ??= running
      .catch(() => undefined)
      .then(() => {
        next = undefined;
        const result = ask();
        running = result;
        return result;
      });
    return next;
  };
}
