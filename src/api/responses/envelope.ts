import { type AppError, STATUSES } from '../../platform/errors.ts';
import type { OperationMeta } from '../operation-meta.ts';
import type { FailureDetails, PublicFailure } from './failure-schema.ts';

/** The envelopes of specification 2.1, for every answer of the REST side. */

export function successEnvelope(meta: OperationMeta, output: unknown): object {
  if (meta.envelope === 'bare') return { result: output };
  const head = { status: 'success', message: meta.message };
  if (meta.envelope === 'data') return { result: { ...head, data: output } };
  const { data, nextPageToken } = output as { data: unknown; nextPageToken?: string | null };
  return { result: { ...head, data, [meta.pageTokenField]: nextPageToken } };
}

/** An unforeseen failure shows the request id, which leads to its cause in the log. */
export function publicFailure(failure: AppError, requestId: string): PublicFailure {
  const details: FailureDetails | undefined =
    failure.status === 'INTERNAL' && !failure.details ? { requestId } : failure.details;
  return {
    status: failure.status,
    message: failure.message,
    ...(details ? { details } : {}),
    code: failure.http,
  };
}

export const failureEnvelope = (
  failure: AppError,
  requestId: string,
): { error: PublicFailure } => ({
  error: publicFailure(failure, requestId),
});

/** Response headers of a failure, on every transport. */
export function failureHeaders(failure: AppError): Record<string, string> {
  return {
    ...(failure.http === 405 ? { allow: failure.allow ?? 'POST' } : {}),
    ...(failure.retryAfterSeconds === undefined
      ? {}
      : { 'retry-after': String(failure.retryAfterSeconds) }),
  };
}

/** An INTERNAL failure without a cause is required by the specification, and is not a defect. */
export const logLevelOf = ({ status, cause }: AppError) =>
  status === 'INTERNAL' && cause === undefined ? 'info' : STATUSES[status].logLevel;
