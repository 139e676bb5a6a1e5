import type { FastifyBaseLogger } from 'fastify';
import { type AppError, STATUSES } from '../../platform/errors.ts';
import type { Logger } from '../../platform/logging.ts';

/**
 * Logs the failure of a request. A failure that many requests share, such as a database outage, gets a short
 * line for each request, and a warning with the cause. The logger merges these warnings (merge-warnings.ts).
 */
export function logFailure(
  log: Logger | FastifyBaseLogger,
  failure: AppError,
  facts: Record<string, unknown>,
): void {
  const { status, cause } = failure;
  // Specification 4.20 requires INTERNAL where domains are skipped. That failure has no cause, and is no defect.
  const isRequired = status === 'INTERNAL' && cause === undefined;
  const level = isRequired ? 'info' : STATUSES[status].logLevel;
  const line = { ...facts, failure: status };
  if (level === 'warn') {
    log.info(line, failure.message);
    log.warn({ err: cause }, failure.message);
  } else {
    log[level]({ ...line, err: cause }, failure.message);
  }
}
