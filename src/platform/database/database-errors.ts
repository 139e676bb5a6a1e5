import { DatabaseError } from 'pg';
import { AppError } from '../errors.ts';
import { NoPermitError } from '../limits/keyed-semaphore.ts';
import { codeOf } from '../start-error.ts';
import { LostRace } from './lost-races.ts';
import { READ_ONLY } from './read-only-server.ts';

/** SQLSTATE codes of transactions that lost a race and may simply be retried. */
const RETRYABLE = new Set(['40001', '40P01']);

/** SQLSTATE codes of a server that is stopping, overloaded, read-only or not started yet. */
const SERVER_UNAVAILABLE = ['57P01', '57P02', '57P03', '53300', '53200', READ_ONLY];
/** SQLSTATE: the server ended a transaction that paused for too long, since its process was suspended. */
const PAUSED_TOO_LONG = '25P03';
/** SQLSTATE codes of a refused login: wrong role, password or database, or one that is closed. */
const LOGIN_REFUSED = ['28000', '28P01', '3D000', '55000'];
const UNAVAILABLE = new Set([...SERVER_UNAVAILABLE, PAUSED_TOO_LONG, ...LOGIN_REFUSED]);

/** SQLSTATE codes of a statement above `statement_timeout`, and of a wait for a lock above `lock_timeout`. */
const TOO_LONG = new Set(['57014', '55P03']);

/** SQLSTATE: the server could not write a file. */
export const DISK_FULL = '53100';

const NETWORK_CODES = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'ENOTFOUND',
  'EPIPE',
  'ETIMEDOUT',
  'EAI_AGAIN',
]);

/** Whether no server listens on the Unix socket of a database URL. */
const isMissingSocket = ({ code, syscall }: NodeJS.ErrnoException): boolean =>
  code === 'ENOENT' && syscall === 'connect';

/** `pg` reports lost connections by their message only. */
const LOST_CONNECTION =
  /Connection terminated|timeout exceeded when trying to connect|Client has encountered a connection error|Query read timeout|not queryable/i;

/** Whether a transaction lost a race, so that repeating it at once may succeed. */
export const isRetryable = (error: unknown): boolean =>
  error instanceof LostRace || (error instanceof DatabaseError && RETRYABLE.has(error.code ?? ''));

export const isReadOnly = (error: unknown): boolean =>
  error instanceof DatabaseError && error.code === READ_ONLY;

export const isDiskFull = (error: unknown): boolean => codeOf(error) === DISK_FULL;

/**
 * Returns the failure that callers see for an error of the database: an outage, a lost race or a timeout.
 * Undefined for any other error, which is a defect of this server.
 */
export function classifyDatabaseError(error: unknown): AppError | undefined {
  const code = codeOf(error) ?? '';
  if (isRetryable(error)) {
    return new AppError('ABORTED', 'Another change came in between. Try again.', { cause: error });
  }
  if (code === DISK_FULL || code === 'ENOSPC') {
    return new AppError('UNAVAILABLE', 'The disk is full. Try again once there is room.', {
      cause: error,
    });
  }
  if (error instanceof DatabaseError) {
    if (TOO_LONG.has(code)) {
      return new AppError('DEADLINE_EXCEEDED', 'The database took too long.', { cause: error });
    }
    return UNAVAILABLE.has(code) || code.startsWith('08') ? unavailable(error) : undefined;
  }
  if (error instanceof AggregateError) return classifyDatabaseError(error.errors[0]);
  if (!(error instanceof Error)) return undefined;
  const isUnreachable =
    error instanceof NoPermitError ||
    NETWORK_CODES.has(code) ||
    isMissingSocket(error) ||
    LOST_CONNECTION.test(error.message);
  return isUnreachable ? unavailable(error) : undefined;
}

/** Whether work failed only because the database is away, overloaded or full. */
export const isOutage = (error: unknown): boolean =>
  classifyDatabaseError(error)?.status === 'UNAVAILABLE';

const unavailable = (cause: unknown) =>
  new AppError('UNAVAILABLE', 'The database cannot be reached at the moment. Try again.', {
    cause,
  });
