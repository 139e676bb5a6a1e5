import type { FastifyReply, FastifyRequest } from 'fastify';
import { AppError } from '../platform/errors.ts';
import { failureEnvelope, failureHeaders } from './envelope.ts';
import { toAppError } from './failures.ts';
import { unsupportedMediaType } from './json-body.ts';
import { logFailure } from './log-failure.ts';

/** Failures before or outside an operation: unknown path, bad JSON, too large a body. */
export function sendFailure(
  error: unknown,
  request: FastifyRequest,
  reply: FastifyReply,
  envelope: (failure: AppError, requestId: string) => object = failureEnvelope,
): FastifyReply {
  const failure = toAppError(fromFastify(error));
  logFailure(request.log, failure, {
    requestId: request.id,
    path: request.url.split('?')[0],
    status: failure.http,
  });
  return reply
    .code(failure.http)
    .header('x-request-id', request.id)
    .headers(failureHeaders(failure))
    .send(envelope(failure, request.id));
}

function fromFastify(error: unknown): unknown {
  const { code, statusCode } = error as { code?: string; statusCode?: number };
  if (code === 'FST_ERR_CTP_INVALID_MEDIA_TYPE') return unsupportedMediaType();
  if (code === 'FST_ERR_CTP_BODY_TOO_LARGE') {
    return new AppError('INVALID_ARGUMENT', 'The body is too large.', { http: 413 });
  }
  const isCallers = statusCode !== undefined && statusCode >= 400 && statusCode < 500;
  return isCallers && !(error instanceof AppError)
    ? new AppError('INVALID_ARGUMENT', 'The request is not valid.', { cause: error })
    : error;
}
