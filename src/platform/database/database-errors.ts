import { DatabaseError } from 'pg';
import { AppError } from '../errors.ts';
import { NoPermitError } from '../limits/keyed-semaphore.ts';
import { codeOf } from '../start-error.ts';
import { LostRace } from './lost-races.ts';
import { READ_ONLY } from './read-only-server.ts';

/** SQLSTATE codes of transactions that lost a race and may simply be retried. */
const RETRYABLE_CODES = new Set(['40001', '40P01']);

/** SQLSTATE codes of a server that is stopping, overloaded, read-only or not started yet. */
const SERVER_UNAVAILABLE_CODES = ['57P01', '57P02', '57P03', '53300', '53200', READ_ONLY];
/** SQLSTATE: the server ended a transaction that was idle for too long, because its process was suspended. */
const IDLE_TRANSACTION_CODE = '25P03';
/** SQLSTATE codes of a refused login: wrong role, password or database, or a database that is closed. */
const REFUSED_LOGIN_CODES = ['28000', '28P01', '3D000', '55000'];
const UNAVAILABLE_CODES = new Set([
  ...SERVER_UNAVAILABLE_CODES,
  IDLE_TRANSACTION_CODE,
  ...REFUSED_LOGIN_CODES,
]);

/** SQLSTATE codes of a statement that exceeds `statement_timeout`, and of a wait that exceeds `lock_timeout`. */
const TIMEOUT_CODES = new Set(['57014', '55P03']);

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

/** Whether an error means that no server listens on the Unix socket of a database URL. */
const isMissingSocket = ({ code, syscall }: NodeJS.ErrnoException): boolean =>
  code === 'ENOENT' && syscall === 'connect';

/** Matches the messages of lost connections, to which `pg` gives no code. */
const LOST_CONNECTION =
  /Connection terminated|timeout exceeded when trying to connect|Client has encountered a connection error|Query read timeout|not queryable/i;

/** Whether a transaction lost a race, so that repeating it at once may succeed. */
export const isRetryable = (error: unknown): boolean =>
  error instanceof LostRace ||
  (error instanceof DatabaseError && RETRYABLE_CODES.has(error.code ?? ''));

export const isReadOnly = (error: unknown): boolean =>
  error instanceof DatabaseError && error.code === READ_ONLY;

export const isDiskFull = (error: unknown): boolean => codeOf(error) === DISK_FULL;

/**
 * Returns the failure that callers see for a database error: an outage, a lost race or a timeout.
 * Returns undefined for any other error, which is a bug in this server.
 */
export function classifyDatabaseError(error: unknown): AppError | undefined {
  const code = codeOf(error) ?? '';
  if (isRetryable(error)) {
    return new AppError('ABORTED', 'Another change was made at the same time. Try again.', {
      cause: error,
    });
  }
  if (code === DISK_FULL || code === 'ENOSPC') {
    return new AppError('UNAVAILABLE', 'The disk is full. Try again once there is room.', {
      cause: error,
    });
  }
  if (error instanceof DatabaseError) {
    if (TIMEOUT_CODES.has(code)) {
      return new AppError('DEADLINE_EXCEEDED', 'The database took too long.', { cause: error });
    }
    return UNAVAILABLE_CODES.has(code) || code.startsWith('08') ? unavailable(error) : undefined;
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
