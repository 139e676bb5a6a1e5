import { toCollaborationError } from './error.ts';
import { anySignal } from './retry.ts';

/**
 * Returns a `fetch` that resolves once it has read the whole answer.
 *
 * @param waitMs how long it waits, since a dead connection never answers; by default without a limit
 * @throws CollaborationError for an answer that is not JSON, such as the page of a proxy
 */
export const answeredFetch =
  (send: typeof fetch, waitMs?: number): typeof fetch =>
  async (url, init) => {
    const ending = new AbortController();
    const timer = waitMs === undefined ? undefined : setTimeout(() => ending.abort(), waitMs);
    const signals = [ending.signal, ...(init?.signal ? [init.signal] : [])];
    try {
      const response = await send(url, { ...init, signal: anySignal(signals) });
      const body: unknown = await response.json().catch((cause) => {
        throw toCollaborationError(cause, response);
      });
      return Object.assign(response, { json: async () => body });
    } finally {
      clearTimeout(timer);
    }
  };
