/**
 * Returns a function that calls `ask` for callers who need an answer not older than their call.
 * Callers during a running `ask` share the next one, since the running one may have got its answer
 * before they called.
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
