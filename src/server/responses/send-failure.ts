import { TRPC_ERROR_CODES_BY_KEY } from '@trpc/server/rpc';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { unsupportedMediaType } from '../../api/body/json-body.ts';
import { tooLarge } from '../../api/body/receive-body.ts';
import { type ExactPaths, pathNotFound, pathOf } from '../../api/exact-paths.ts';
import { failureHeaders, publicFailure, withOperation } from '../../api/responses/envelope.ts';
import { toAppError } from '../../api/responses/failures.ts';
import { logFailure } from '../../api/responses/log-failure.ts';
import { transformer } from '../../api/transformer.ts';
import { AppError, STATUSES } from '../../platform/errors.ts';
import { codeOf } from '../../platform/start-error.ts';
import { discardBody } from './discard-body.ts';

/** After a failure, at most this many times `bodyLimit` of the request's body is read and discarded. */
const MAX_DISCARDED_BODIES = 4;

interface FailureDependencies {
  bodyLimit: number;
  paths: ExactPaths;
  /** The dotted names of the operations by their paths. */
  operations: ReadonlyMap<string, string>;
  /** Called with the HTTP status. */
  onRejected: (status: number) => void;
}

/**
 * Sends failures that occur outside of operations, such as an unknown path, malformed JSON or a
 * large body.
 */
export function sendFailure(
  error: unknown,
  request: FastifyRequest,
  reply: FastifyReply,
  { bodyLimit, paths, operations, onRejected }: FailureDependencies,
): FastifyReply {
  // The client disconnected before its response began, so nothing is sent. This is not a failure, and is
  // counted elsewhere (`http_requests_aborted_total`).
  if (reply.raw.destroyed && isCutOff(error)) return reply.hijack();
  const failure = toAppError(fromFastify(error));
  onRejected(failure.http);
  const path = paths.loggablePath(request.url);
  logFailure(request.log, failure, { path, status: failure.http });
  discardBody(request, reply, MAX_DISCARDED_BODIES * bodyLimit);
  const operation = operations.get(pathOf(request.url));
  const isTrpc = /^\/(console\/)?trpc\//.test(pathOf(request.url));
  const envelope = isTrpc ? trpcEnvelope : restEnvelope;
  return reply
    .code(failure.http)
    .header('x-request-id', request.id)
    .headers(failureHeaders(failure))
    .send(envelope(failure, request.id, operation));
}

/** Whether Fastify could not stream a response, because the connection was closed. */
const isCutOff = (error: unknown): boolean => codeOf(error) === 'ERR_STREAM_PREMATURE_CLOSE';

function restEnvelope(failure: AppError, requestId: string, operation: string | undefined): object {
  const error = publicFailure(failure, requestId);
  return { error: { ...error, message: withOperation(error.message, operation) } };
}

/** The error in the form that tRPC clients read. */
function trpcEnvelope(failure: AppError, requestId: string): object {
  const { status, message, details, code: httpStatus } = publicFailure(failure, requestId);
  const code = STATUSES[failure.status].trpc;
  const data = { code, status, httpStatus, details };
  const shape = { message, code: TRPC_ERROR_CODES_BY_KEY[code], data };
  return { error: transformer.output.serialize(shape) };
}

/** Converts errors of Fastify about a request to public failures. Other errors are returned as they are. */
function fromFastify(error: unknown): unknown {
  const { code, statusCode } = error as { code?: string; statusCode?: number };
  if (code === 'FST_ERR_CTP_INVALID_MEDIA_TYPE') return unsupportedMediaType();
  if (code === 'FST_ERR_CTP_BODY_TOO_LARGE') return tooLarge();
  // The messages of these errors are not shown: they repeat the path, which may contain a secret.
  if (code === 'FST_ERR_BAD_URL' || code === 'FST_ERR_MAX_PARAM_LENGTH') return pathNotFound();
  const isClientError = statusCode !== undefined && statusCode >= 400 && statusCode < 500;
  return isClientError && !(error instanceof AppError)
    ? new AppError('INVALID_ARGUMENT', 'The request is not valid.', { cause: error })
    : error;
}
