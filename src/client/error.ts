import { TRPCClientError } from '@trpc/client';
import type { FailureDetails, Status } from '../api/contract.ts';
import type { ErrorData } from '../api/contract-router.ts';

/** The same call may succeed after one of these failures (specification, part 7). */
const RETRYABLE = new Set<Status>([
  'ABORTED',
  'RESOURCE_EXHAUSTED',
  'UNAVAILABLE',
  'DEADLINE_EXCEEDED',
]);

const TOO_MANY_REQUESTS = 429;

interface Failure {
  message: string;
  status: Status;
  /** 0 when there was no answer. */
  httpStatus: number;
  details?: FailureDetails;
  requestId?: string | undefined;
  retryAfterMs?: number | undefined;
  cause?: unknown;
}

/** The failure of a call: the server's answer, or that there was none. */
export class CollaborationError extends Error {
  override readonly name = 'CollaborationError';
  readonly status: Status;
  /** The HTTP code of the answer; 0 without an answer. */
  readonly httpStatus: number;
  readonly details: FailureDetails;
  /** The id of this call in the server's log. Quote it to support. */
  readonly requestId: string | undefined;
  /** Whether the same call may succeed later. The client has repeated it already. */
  readonly retryable: boolean;
  /** The server's `Retry-After`, in milliseconds. */
  readonly retryAfterMs: number | undefined;

  constructor({ message, status, httpStatus, details, requestId, retryAfterMs, cause }: Failure) {
    super(message, { cause });
    this.status = status;
    this.httpStatus = httpStatus;
    this.details = details ?? {};
    this.requestId = requestId ?? this.details.requestId;
    this.retryable = RETRYABLE.has(status);
    this.retryAfterMs = retryAfterMs;
  }

  /** The reason of the failure, for programs: such as `TOKEN_EXPIRED` or `document_not_found`. */
  get reason(): string | undefined {
    return this.details.reason;
  }

  /** The fields of the input that are not valid. */
  get issues(): Array<{ path: string; message: string }> {
    return this.details.issues ?? [];
  }
}

/** @param answer the response of the server, or of a proxy in front of it, if the error does not hold the response */
export function toCollaborationError(error: unknown, answer?: Response): CollaborationError {
  if (error instanceof CollaborationError) return error;
  const failure = error instanceof TRPCClientError ? error : undefined;
  if (failure?.cause instanceof CollaborationError) return failure.cause;
  const responseOfCall: unknown = failure?.meta?.response;
  const response = responseOfCall instanceof Response ? responseOfCall : answer;
  const requestId = response?.headers.get('x-request-id') ?? undefined;
  const retryAfterMs = secondsToMs(response?.headers.get('retry-after'));
  if (failure?.data) {
    const data: ErrorData = failure.data;
    return new CollaborationError({ ...data, message: failure.message, requestId, retryAfterMs });
  }
  const httpStatus = response?.status ?? 0;
  return new CollaborationError({
    message: response
      ? `The server, or a proxy in front of it, answered ${httpStatus} without a readable body.`
      : 'The server cannot be reached.',
    status: statusOf(httpStatus),
    httpStatus,
    requestId,
    retryAfterMs,
    cause: failure ? failure.cause : error,
  });
}

/** Derives the status from the HTTP code of an answer whose body cannot be read. */
function statusOf(httpStatus: number): Status {
  if (httpStatus === TOO_MANY_REQUESTS) return 'RESOURCE_EXHAUSTED';
  return httpStatus >= 400 && httpStatus < 500 ? 'INTERNAL' : 'UNAVAILABLE';
}

function secondsToMs(header: string | null | undefined): number | undefined {
  const seconds = header ? Number(header) : Number.NaN;
  return Number.isFinite(seconds) ? seconds * 1000 : undefined;
}
