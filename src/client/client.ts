import { createTRPCClient, httpBatchLink, type TRPCClient } from '@trpc/client';
import superjson from 'superjson';
import type { AppRouter } from '../features/index.ts';

export type CollaborationClient = TRPCClient<AppRouter>;

interface ClientOptions {
  /** Where the server is, e.g. `https://collaboration.example.com`. */
  url: string;
  /**
   * The credentials: `x-svc-api-key` and `x-svc-auth-token` on a server, or `authorization: Bearer
   * <user token>` in a browser. A function is asked before each request, so that a token can change.
   */
  headers: Record<string, string> | (() => Record<string, string>);
}

/**
 * The typed client: `client.users.add.mutate({ organizationId, users })` sends what stands in the
 * REST request's `data` and gives what stands in its `result.data`. Calls made at once travel
 * together. Failures are `TRPCClientError`s whose `data` has `status`, `httpStatus` and `details`.
 */
export function createCollaborationClient({ url, headers }: ClientOptions): CollaborationClient {
  return createTRPCClient<AppRouter>({
    links: [httpBatchLink({ url: `${url}/trpc`, headers, transformer: superjson, maxItems: 50 })],
  });
}
