import { toCollaborationError } from './error.ts';
import { linkedController } from './retry.ts';

/**
 * Returns a `fetch` that resolves once it has read the whole response.
 *
 * @param timeoutMs the longest wait for the response, in case the connection is dead; no limit by default
 * @throws CollaborationError for a response that is not JSON, such as the error page of a proxy
 */
export const bufferedFetch =
  (send: typeof fetch, timeoutMs?: number): typeof fetch =>
  async (url, init) => {
    const controller = linkedController(init?.signal);
    const timer =
      timeoutMs === undefined ? undefined : setTimeout(() => controller.abort(), timeoutMs);
    try {
      const response = await send(url, { ...init, signal: controller.signal });
      const body: unknown = await response.json().catch((cause) => {
        throw toCollaborationError(cause, response);
      });
      return Object.assign(response, { json: async () => body });
    } finally {
      clearTimeout(timer);
      controller.abort();
    }
  };
