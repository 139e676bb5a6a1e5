import type { FastifyBaseLogger } from 'fastify';
import type { AppError } from '../platform/errors.ts';
import type { Logger } from '../platform/logging.ts';
import { logLevelOf } from './envelope.ts';

/**
 * Logs how a request failed. What many requests meet together, as when the database is away, is one
 * line for each of them, and a warning with its cause that is merged with the others.
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
