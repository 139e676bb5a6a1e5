import {
  createTRPCClient,
  httpBatchLink,
  httpSubscriptionLink,
  splitLink,
  type TRPCClient,
} from '@trpc/client';
import superjson from 'superjson';
import type {
  CommentAnnotation,
  CommentAnnotationsGetInput,
  ContractRouter,
} from '../api/contract.ts';
import { HeaderEventSource } from './event-source.ts';

export type {
  Comment,
  CommentAnnotation as Annotation,
  Document,
  ErrorData,
  Folder,
  Notification,
  User,
} from '../api/contract.ts';

/** Every operation and subscription of the server by its dotted name. */
export type CollaborationClient = GetAnnotations & TRPCClient<ContractRouter>;

/** Without grouping, annotations are a list; `null` stands for ids that do not exist. */
interface GetAnnotations {
  commentAnnotations: {
    get: {
      query(
        input: CommentAnnotationsGetInput & { groupByDocumentId?: false },
        options?: QueryOptions,
      ): Promise<Page<Array<CommentAnnotation | null>>>;
      query(
        input: CommentAnnotationsGetInput & { groupByDocumentId: true },
        options?: QueryOptions,
      ): Promise<Page<Record<string, CommentAnnotation[]>>>;
    };
  };
}

interface Page<Data> {
  data: Data;
  nextPageToken?: string;
}

type QueryOptions = Parameters<TRPCClient<ContractRouter>['commentAnnotations']['get']['query']>[1];

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
 * Creates the typed client: `client.users.add.mutate({ organizationId, users })` sends the `data`
 * of the REST request and returns its `result.data`. Simultaneous calls are batched. Failures are
 * `TRPCClientError`s whose `data` has `status`, `httpStatus` and `details`. Subscriptions
 * (`client.comments.changes.subscribe(…)`) use server-sent events with the same headers, and
 * reconnect without missing events.
 */
export function createCollaborationClient({ url, headers }: ClientOptions): CollaborationClient {
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
  }) as CollaborationClient;
}
