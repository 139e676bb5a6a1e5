/**
 * Returns a function that calls `ask` so that no caller gets an answer that is older than the call.
 * Callers who come while `ask` is running share the next run, since the running one may have found
 * its answer before they came.
 */
export function coalesceCalls<Answer>(ask: () => Promise<Answer>): () => Promise<Answer> {
  let running: Promise<unknown> = Promise.resolve();
  let next: Promise<Answer> | undefined;
  return () => {
    next ??= running
      .catch(() => undefined)
      .then(() => {
        next = undefined;
        const asked = ask();
        running = asked;
        return asked;
      });
    return next;
  };
}
