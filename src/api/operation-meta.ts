import type { z } from 'zod';
import type { Status } from '../platform/errors.ts';

/** Whose credentials an operation needs: the levels of specification part 5, and the administrator. */
export type AuthLevel = 'admin' | 'workspace' | 'apiKey';

/** The metadata of an operation: its REST path, its rules and its documentation. */
export interface OperationMeta {
  /** The exact REST path. */
  path: `/${string}`;
  summary: string;
  description?: string;
  level: AuthLevel;
  /**
   * Whether a user token is accepted too, limited to the permissions of its user. `only`: the
   * operation is about the token, and an API key is not accepted.
   */
  userToken: boolean | 'only';
  /** The `result.message` of a success. */
  message: string;
  /**
   * `data`: `result.data` is the output. `page`: the output is `{ data, nextPageToken? }`, and the
   * token is placed next to `data`. `bare`: `result` is the output. `ndjson`: the items of all pages
   * as newline-delimited JSON; typed clients request page after page.
   */
  envelope: 'data' | 'page' | 'bare' | 'ndjson';
  /** The name of the page token on the REST side. */
  pageTokenField: 'nextPageToken' | 'pageToken';
  /**
   * Whether the call counts against the concurrent calls of its caller. Calls that mostly wait for
   * external services do not, and have a limit of their own.
   */
  countsInFlight: boolean;
  /**
   * Whether the call mostly waits for a commit that it shares with others, and so holds no connection
   * of its own. More of these calls may run at once.
   */
  sharesCommit: boolean;
  /**
   * Whether the operation may be served by a read replica: it lists or searches many rows, and neither
   * changes rows nor waits for changes while it reads.
   */
  fromReplica: boolean;
  /** Whether the operation adds content, which is refused above the storage quota of the key. */
  addsContent: boolean;
  /**
   * Whether the operation may revoke credentials, or change their rights or quotas. The cache of checked
   * credentials then forgets them.
   */
  changesCredentials: boolean;
  /** Whether the response contains secrets, which not every role in the console may see. */
  givesSecrets: boolean;
  /** Failures of this operation, in addition to the common ones. */
  errors: Status[];
  /**
   * The `data` of an example request, and its `result.data` (for `bare` its `result`, for `ndjson`
   * one line).
   */
  example: { request: object; response: unknown };
}

/** The metadata of a subscription, which has no REST path: only tRPC clients can call it. */
export interface SubscriptionMeta {
  summary: string;
  description: string;
  level: 'apiKey';
  userToken: true;
  /** The schema of an item as clients receive it. */
  item: z.ZodType;
}
