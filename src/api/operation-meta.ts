import type { z } from 'zod';
import type { Status } from '../platform/errors.ts';
import type { AuthLevel } from './authenticate.ts';

/** What an operation says of itself: how REST callers reach it, and what the document tells. */
export interface OperationMeta {
  /** The exact REST path. Absent for what only typed clients can call. */
  path: `/${string}`;
  summary: string;
  description?: string;
  level: AuthLevel;
  /** Also open to a user token, limited to what that user may do. */
  userToken: boolean;
  /** `result.message` of a success. */
  message: string;
  /**
   * `data`: `result.data` is the output. `page`: the output is `{ data, nextPageToken? }`, whose
   * token stands beside `data`. `bare`: `result` is the output. `lines`: the items of all pages as
   * newline-delimited JSON; typed clients go from page to page.
   */
  envelope: 'data' | 'page' | 'bare' | 'lines';
  /** The token's name on the REST side. */
  pageTokenField: 'nextPageToken' | 'pageToken';
  /**
   * Whether it counts among the calls of its caller that run at once. What waits for a service
   * outside most of its time does not, and has a limit of its own.
   */
  countsInFlight: boolean;
  /** Whether it adds content, which a key that has used up its storage may not. */
  addsContent: boolean;
  /** Failures of its own, beside those that any operation can have. */
  errors: Status[];
  /** What stands in `data` of the example request, and in `result.data` (`result`, if bare; a line). */
  example: { request: object; response: unknown };
}

/** What a subscription says of itself. It has no REST path: only clients of tRPC follow. */
export interface SubscriptionMeta {
  summary: string;
  description: string;
  level: 'apiKey';
  userToken: true;
  /** Each item as clients get it. */
  item: z.ZodType;
}
