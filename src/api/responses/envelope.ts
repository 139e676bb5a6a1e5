import type { AppError } from '../../platform/errors.ts';
import type { OperationMeta } from '../operation-meta.ts';
import type { PublicFailure } from './failure-schema.ts';

// The envelopes of specification 2.1, for every response over REST.

export function successEnvelope(meta: OperationMeta, output: unknown): object {
  if (meta.envelope === 'bare') return { result: output };
  const head = { status: 'success', message: meta.message };
  if (meta.envelope === 'data') return { result: { ...head, data: output } };
  const { data, nextPageToken } = output as { data: unknown; nextPageToken?: string | null };
  return { result: { ...head, data, [meta.pageTokenField]: nextPageToken } };
}

/**
 * Returns a failure as callers see it. An unexpected failure shows the request id, by which its cause is
 * found in the log. The name of the operation is added to messages about credentials or invalid input.
 */
export function publicFailure(
  failure: AppError,
  requestId: string,
  operation?: string,
): PublicFailure {
  const { status, message, details } = failure;
  const shown = status === 'INTERNAL' && !details ? { requestId } : details;
  // A message such as `users: is missing` needs the operation. A whole sentence already says what to do.
  const isAboutInput = details !== undefined && 'issues' in details && !message.endsWith('.');
  const isAboutCredentials = status === 'PERMISSION_DENIED' && details === undefined;
  return {
    status,
    message: isAboutInput || isAboutCredentials ? withOperation(message, operation) : message,
    ...(shown ? { details: shown } : {}),
    code: failure.http,
  };
}

/** Adds the name of the operation that refused the request to a message. */
export const withOperation = (message: string, operation: string | undefined): string =>
  operation === undefined || message.includes(operation)
    ? message
    : `${message} (operation ${operation})`;

export const failureEnvelope = (
  failure: AppError,
  requestId: string,
  operation?: string,
): { error: PublicFailure } => ({
  error: publicFailure(failure, requestId, operation),
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
