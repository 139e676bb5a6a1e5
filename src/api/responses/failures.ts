import { TRPCError } from '@trpc/server';
import { ZodError } from 'zod';
import { classifyDatabaseError } from '../../platform/database/database-errors.ts';
import { AppError, STATUSES, type Status } from '../../platform/errors.ts';
import { validationFailure } from './validation-failure.ts';

/** Converts any thrown value into the failure that callers see. No other code does this. */
export function toAppError(error: unknown): AppError {
  if (error instanceof AppError) return error;
  if (error instanceof ZodError) return validationFailure(error);
  if (error instanceof TRPCError) return fromTrpc(error);
  return classifyDatabaseError(error) ?? internal(error);
}

const internal = (cause: unknown) =>
  new AppError('INTERNAL', 'Something went wrong on our side.', { cause });

/** Wraps a failure for tRPC, with the error code by which clients decide whether to call again. */
export const toTrpcError = (cause: AppError): TRPCError =>
  new TRPCError({ code: STATUSES[cause.status].trpc, cause });

function fromTrpc(error: TRPCError): AppError {
  const { code, cause } = error;
  if (code === 'INTERNAL_SERVER_ERROR') {
    // An output that violates its schema is a defect of the server, not of the input.
    return cause === undefined || cause instanceof ZodError ? internal(error) : toAppError(cause);
  }
  if (cause instanceof AppError || cause instanceof ZodError) return toAppError(cause);
  const failure = TRPC_FAILURES[code];
  if (!failure) return internal(error);
  const { status, message, http } = failure;
  // The message of the JSON parser quotes the input, which may contain a secret.
  const logged = cause instanceof SyntaxError ? undefined : error;
  return new AppError(status, message, { http, cause: logged });
}

const NOT_VALID = 'The request is not valid.';

/** The failures that tRPC itself raises, outside of procedures. */
const TRPC_FAILURES: Partial<
  Record<TRPCError['code'], { status: Status; message: string; http?: number }>
> = {
  PARSE_ERROR: { status: 'INVALID_ARGUMENT', message: NOT_VALID },
  BAD_REQUEST: { status: 'INVALID_ARGUMENT', message: NOT_VALID },
  UNSUPPORTED_MEDIA_TYPE: { status: 'INVALID_ARGUMENT', message: NOT_VALID, http: 415 },
  NOT_FOUND: {
    status: 'NOT_FOUND',
    message: 'There is no such operation. /openapi.json lists all names as operationId.',
  },
  METHOD_NOT_SUPPORTED: {
    status: 'INVALID_ARGUMENT',
    message:
      'The method does not fit the operation. Call a change with mutate (POST), a read with query, and a subscription with subscribe (GET).',
    http: 405,
  },
};
