import type { FastifyBaseLogger } from 'fastify';
import type { AppError } from '../../platform/errors.ts';
import type { Logger } from '../../platform/logging.ts';
import { logLevelOf } from './envelope.ts';

/**
 * Logs the failure of a request. A failure that many requests share, such as a database outage, is
 * one line for each request, and one merged warning with the cause.
 */
export function logFailure(
  log: Logger | FastifyBaseLogger,
  failure: AppError,
  facts: Record<string, unknown>,
): void {
  const level = logLevelOf(failure);
  const line = { ...facts, failure: failure.status };
  if (level === 'warn') {
    log.info(line, failure.message);
    log.warn({ err: failure.cause }, failure.message);
  } else {
    log[level]({ ...line, err: failure.cause }, failure.message);
  }
}
