import { toCollaborationError } from './error.ts';
import { followSignals } from './retry.ts';

/**
 * Returns a `fetch` that resolves once it has read the whole answer.
 *
 * @param timeoutMs the longest wait, since a dead connection never answers; without a limit by default
 * @throws CollaborationError for an answer that is not JSON, such as the page of a proxy
 */
export const bufferedFetch =
  (send: typeof fetch, timeoutMs?: number): typeof fetch =>
  async (url, init) => {
    const ending = followSignals(init?.signal);
    const timer = timeoutMs === undefined ? undefined : setTimeout(() => ending.abort(), timeoutMs);
    try {
      const response = await send(url, { ...init, signal: ending.signal });
      const body: unknown = await response.json().catch((cause) => {
        throw toCollaborationError(cause, response);
      });
      return Object.assign(response, { json: async () => body });
    } finally {
      clearTimeout(timer);
      ending.abort();
    }
  };
