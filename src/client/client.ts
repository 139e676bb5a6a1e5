import {
  createTRPCClient,
  httpBatchLink,
  httpSubscriptionLink,
  splitLink,
  type TRPCClient,
} from '@trpc/client';
import superjson from 'superjson';
import type { AppRouter } from '../features/index.ts';
import { HeaderEventSource } from './event-source.ts';

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
 * Subscriptions (`client.comments.changes.subscribe(…)`) come as server-sent events with the same
 * headers, and connect again by themselves without missing anything.
 */
export function createCollaborationClient({ url, headers }: ClientOptions): CollaborationClient {
  return createTRPCClient<AppRouter>({
    links: [
      splitLink({
        condition: ({ type }) => type === 'subscription',
        true: httpSubscriptionLink({
          url: `${url}/trpc`,
          transformer: superjson,
          EventSource: HeaderEventSource,
          eventSourceOptions: {
            headers: () => (typeof headers === 'function' ? headers() : headers),
          },
        }),
        false: httpBatchLink({ url: `${url}/trpc`, headers, transformer: superjson, maxItems: 50 }),
      }),
    ],
  });
}
