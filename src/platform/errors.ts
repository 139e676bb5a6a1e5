import type { TRPC_ERROR_CODE_KEY } from '@trpc/server';

interface StatusFacts {
  http: number;
  /** The tRPC code whose HTTP status is the same. */
  trpc: TRPC_ERROR_CODE_KEY;
  /** Close code of a WebSocket connection that is refused or ended for this reason. */
  webSocketClose: number;
  /** Whether the same request may succeed later without a change. */
  retryable: boolean;
  logLevel: 'info' | 'warn' | 'error';
}

const status = (
  http: number,
  trpc: TRPC_ERROR_CODE_KEY,
  retry: 'final' | 'retryable',
  logLevel: StatusFacts['logLevel'],
): StatusFacts => ({
  http,
  trpc,
  webSocketClose: 4000 + http,
  retryable: retry === 'retryable',
  logLevel,
});

/** The meaning of each status on each transport. Statuses follow `google.rpc.Code` (specification part 7). */
export const STATUSES = {
  INVALID_ARGUMENT: status(400, 'BAD_REQUEST', 'final', 'info'),
  FAILED_PRECONDITION: status(400, 'BAD_REQUEST', 'final', 'info'),
  OUT_OF_RANGE: status(400, 'BAD_REQUEST', 'final', 'info'),
  UNAUTHENTICATED: status(401, 'UNAUTHORIZED', 'final', 'info'),
  PERMISSION_DENIED: status(403, 'FORBIDDEN', 'final', 'info'),
  NOT_FOUND: status(404, 'NOT_FOUND', 'final', 'info'),
  ALREADY_EXISTS: status(409, 'CONFLICT', 'final', 'info'),
  ABORTED: status(409, 'CONFLICT', 'retryable', 'info'),
  RESOURCE_EXHAUSTED: status(429, 'TOO_MANY_REQUESTS', 'retryable', 'info'),
  INTERNAL: status(500, 'INTERNAL_SERVER_ERROR', 'final', 'error'),
  UNAVAILABLE: status(503, 'SERVICE_UNAVAILABLE', 'retryable', 'warn'),
  DEADLINE_EXCEEDED: status(504, 'GATEWAY_TIMEOUT', 'retryable', 'warn'),
} as const satisfies Record<string, StatusFacts>;

export type Status = keyof typeof STATUSES;

/** The reason why a request was refused, for programs: `error.details.reason`. */
type Reason =
  | CredentialsReason
  | 'organization_not_found'
  | 'folder_not_found'
  | 'document_not_found'
  | 'group_not_found'
  | 'user_not_found'
  | 'endpoint_not_found'
  | 'event_not_found'
  | 'notification_not_found'
  | 'annotation_not_found'
  | 'attachment_not_found'
  | 'viewer_may_not_write';

/** The reasons why credentials are refused. A socket that is closed for one of them gives it as the close reason. */
const CREDENTIALS_REASONS = [
  'TOKEN_EXPIRED',
  'TOKEN_REVOKED',
  'TOKEN_INVALID',
  'TICKET_INVALID',
  'API_KEY_DISABLED',
] as const;
export type CredentialsReason = (typeof CREDENTIALS_REASONS)[number];

interface AppErrorOptions {
  reason?: Reason;
  details?: Record<string, unknown>;
  /** Overrides the status's HTTP code, for 405, 408, 413, 415 and 499. */
  http?: number;
  /** The methods that a path accepts: the `Allow` header of a 405. */
  allow?: string;
  /** Seconds after which a retry makes sense: the `Retry-After` header. */
  retryAfterSeconds?: number;
  /** Logged, never shown. */
  cause?: unknown;
}

/** An expected failure. Its message is shown to the caller. */
export class AppError extends Error {
  readonly status: Status;
  readonly http: number;
  /** The reason, if the credentials were refused. */
  readonly credentialsReason: CredentialsReason | undefined;
  readonly details: Record<string, unknown> | undefined;
  readonly retryAfterSeconds: number | undefined;
  readonly allow: string | undefined;

  constructor(status: Status, message: string, options: AppErrorOptions = {}) {
    super(message, { cause: options.cause });
    this.name = 'AppError';
    this.status = status;
    this.http = options.http ?? STATUSES[status].http;
    this.credentialsReason = CREDENTIALS_REASONS.find((reason) => reason === options.reason);
    this.details = options.reason
      ? { reason: options.reason, ...options.details }
      : options.details;
    this.retryAfterSeconds = options.retryAfterSeconds;
    this.allow = options.allow;
  }
}

export const invalidArgument = (message: string, options?: AppErrorOptions): AppError =>
  new AppError('INVALID_ARGUMENT', message, options);

/** The failure of one field, in the same form as a schema's validation failures. */
export function invalidField(path: string, message: string): AppError {
  const sentence = message.endsWith('.') ? message : `${message}.`;
  return invalidArgument(`${path}: ${sentence}`, { details: { issues: [{ path, message }] } });
}
