import {
  createTRPCClient,
  httpBatchLink,
  httpSubscriptionLink,
  splitLink,
  type TRPCClient,
} from '@trpc/client';
import superjson from 'superjson';
import { Agent, EventSource } from 'undici';
import type { ContractRouter } from '../../src/api/contract-router.ts';

const RETRY_MS = 200;
const connections = new Agent();

/**
 * An EventSource with headers, which browsers' own cannot send, so that URLs need not contain credentials. It
 * calls `headers` for each connection, since a token may have been renewed.
 */
export class HeaderEventSource extends EventSource {
  constructor(url: string, { headers }: { headers?: () => Record<string, string> } = {}) {
    const dispatcher = connections.compose(
      (dispatch) => (options, handler) =>
        dispatch({ ...options, headers: { ...options.headers, ...headers?.() } }, handler),
    );
    super(url, { node: { dispatcher, reconnectionTime: RETRY_MS } });
  }
}

/** tRPC's own client, as a frontend may use it without the client package. */
export type TrpcClient = TRPCClient<ContractRouter>;

interface ClientOptions {
  /** The address of the server, e.g. `https://collaboration.example.com`. */
  url: string;
  /**
   * The credentials: `x-svc-api-key` and `x-svc-auth-token` on a server, or `authorization: Bearer
   * <user token>` in a browser. A function is called before each request, so that a token can be
   * renewed.
   */
  headers: Record<string, string> | (() => Record<string, string>);
}

/**
 * Creates tRPC's client: `client.users.add.mutate({ organizationId, users })` sends the `data`
 * of the REST request and returns its `result.data`. Simultaneous calls are batched. Failures are
 * `TRPCClientError`s whose `data` has `status`, `httpStatus` and `details`. Subscriptions
 * (`client.comments.changes.subscribe(…)`) use server-sent events with the same headers, and
 * reconnect without missing events.
 */
export function createTrpcClient({ url, headers }: ClientOptions): TrpcClient {
  return createTRPCClient<ContractRouter>({
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
        false: httpBatchLink({
          url: `${url}/trpc`,
          headers,
          transformer: superjson,
          maxItems: 50,
          // Reads are sent as POST too, since proxies log addresses and the ids in them.
          methodOverride: 'POST',
        }),
      }),
    ],
  }) as TrpcClient;
}
