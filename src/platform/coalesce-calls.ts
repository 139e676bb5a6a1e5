/**
 * Returns a function that asks `ask` for callers who need an answer as new as their call. Those who
 * call while one is being asked share the next, since the running one may have been answered before.
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
