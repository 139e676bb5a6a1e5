import { TRPCClientError } from '@trpc/client';
import type { FailureDetails, Status } from '../api/contract.ts';
import type { ErrorData } from '../api/contract-router.ts';

/**
 * The same call may soon succeed after a failure with one of these statuses (specification, part 7). One
 * exception: a used-up quota lasts until the next day, or until content is deleted.
 */
const RETRYABLE_STATUSES = new Set<Status>([
  'ABORTED',
  'RESOURCE_EXHAUSTED',
  'UNAVAILABLE',
  'DEADLINE_EXCEEDED',
]);

const TOO_MANY_REQUESTS = 429;

interface Failure {
  message: string;
  status: Status;
  /** 0 without a response. */
  httpStatus: number;
  details?: FailureDetails;
  requestId?: string | undefined;
  retryAfterMs?: number | undefined;
  cause?: unknown;
}

/** A failed call: the server responded with an error, or there was no response. */
export class CollaborationError extends Error {
  override readonly name = 'CollaborationError';
  readonly status: Status;
  /** The HTTP status of the response; 0 without a response. */
  readonly httpStatus: number;
  readonly details: FailureDetails;
  /** The id of this call in the server's log. Quote it when you ask for support. */
  readonly requestId: string | undefined;
  /** Whether the same call may soon succeed. The client has already retried it. */
  readonly retryable: boolean;
  /** The server's `Retry-After`, in milliseconds. */
  readonly retryAfterMs: number | undefined;

  constructor({ message, status, httpStatus, details, requestId, retryAfterMs, cause }: Failure) {
    super(message, { cause });
    this.status = status;
    this.httpStatus = httpStatus;
    this.details = details ?? {};
    this.requestId = requestId ?? this.details.requestId;
    this.retryable = RETRYABLE_STATUSES.has(status) && this.details.quota === undefined;
    this.retryAfterMs = retryAfterMs;
  }

  /** The reason of the failure, for your code to check, such as `TOKEN_EXPIRED` or `document_not_found`. */
  get reason(): string | undefined {
    return this.details.reason;
  }

  /** The invalid fields of the input. */
  get issues(): Array<{ path: string; message: string }> {
    return this.details.issues ?? [];
  }
}

/** @param fallback the response of the server or of a proxy in front of it, used if the error does not contain one */
export function toCollaborationError(error: unknown, fallback?: Response): CollaborationError {
  if (error instanceof CollaborationError) return error;
  const trpcError = error instanceof TRPCClientError ? error : undefined;
  if (trpcError?.cause instanceof CollaborationError) return trpcError.cause;
  const responseOfCall: unknown = trpcError?.meta?.response;
  const response = responseOfCall instanceof Response ? responseOfCall : fallback;
  const requestId = response?.headers.get('x-request-id') ?? undefined;
  const retryAfterMs = secondsToMs(response?.headers.get('retry-after'));
  if (trpcError?.data) {
    const data: ErrorData = trpcError.data;
    return new CollaborationError({ ...data, message: trpcError.message, requestId, retryAfterMs });
  }
  const httpStatus = response?.status ?? 0;
  return new CollaborationError({
    message: response
      ? `The server, or a proxy in front of it, responded with ${httpStatus}, but without a readable body.`
      : 'The server cannot be reached.',
    status: statusOf(httpStatus),
    httpStatus,
    requestId,
    retryAfterMs,
    cause: trpcError ? trpcError.cause : error,
  });
}

/** Derives the status from the HTTP status of a response whose body cannot be read. */
function statusOf(httpStatus: number): Status {
  if (httpStatus === TOO_MANY_REQUESTS) return 'RESOURCE_EXHAUSTED';
  return httpStatus >= 400 && httpStatus < 500 ? 'INTERNAL' : 'UNAVAILABLE';
}

function secondsToMs(header: string | null | undefined): number | undefined {
  const seconds = header ? Number(header) : Number.NaN;
  return Number.isFinite(seconds) ? seconds * 1000 : undefined;
}
