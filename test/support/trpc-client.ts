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
 * An EventSource with headers, which browsers' own cannot send, so that URLs need not contain
 * credentials.
 */
export class HeaderEventSource extends EventSource {
  constructor(url: string, { headers }: { headers?: Record<string, string> } = {}) {
    const dispatcher = connections.compose(
      (dispatch) => (options, handler) =>
        dispatch({ ...options, headers: { ...options.headers, ...headers } }, handler),
    );
    super(url, { node: { dispatcher, reconnectionTime: RETRY_MS } });
  }
}

/** tRPC's own client, as a frontend may use it without the client package. */
export type TrpcClient = TRPCClient<ContractRouter>;

interface ClientOptions {
  url: string;
  /** The credentials, on a server or in a browser. */
  headers: Record<string, string>;
}

/** Creates tRPC's client, which batches calls, and subscribes by server-sent events. */
export function createTrpcClient({ url, headers }: ClientOptions): TrpcClient {
  return createTRPCClient<ContractRouter>({
    links: [
      splitLink({
        condition: ({ type }) => type === 'subscription',
        true: httpSubscriptionLink({
          url: `${url}/trpc`,
          transformer: superjson,
          EventSource: HeaderEventSource,
          eventSourceOptions: { headers },
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
