import { createHash } from 'node:crypto';
import type { TRPCError } from '@trpc/server';
import type { Database } from '../../platform/database/database.ts';
import { OperationDatabase } from '../../platform/database/operation-database.ts';
import { AppError, invalidArgument, type Status } from '../../platform/errors.ts';
import { newId } from '../../platform/ids.ts';
import { writeJson } from '../../platform/json.ts';
import { yieldIfLarge } from '../body/json-body.ts';
import type { RequestContext } from '../context.ts';
import {
  findCall,
  type KeyedCall,
  LostReservation,
  lockReservation,
  type Reservation,
  release,
  reserve,
  responseUpdate,
  storageAddress,
  storeResponse,
  takeOver,
} from '../idempotency/reservations.ts';
import { toAppError, toTrpcError } from '../responses/failures.ts';
import { failedResult, okResult } from '../trpc-internals.ts';
import type { WithPermit } from './limit-call.ts';

/**
 * Implements `Idempotency-Key` for writes: within 24 hours, an equal call receives the response of the
 * first call again. If the first call is still running, the equal call waits. The changes of a call and
 * its response are committed together, so that the process may crash at any moment.
 */

const HEADER = 'idempotency-key';

type CallResult<Data> = { ok: true; data: Data } | { ok: false; error: TRPCError };

interface StoredResult {
  data?: unknown;
  failure?: { status: Status; message: string; details?: Record<string, unknown>; http: number };
}

interface KeyedContext extends RequestContext {
  /** Runs the call within the limits of its caller. Equal calls wait outside of these limits. */
  withPermit: WithPermit;
}

/** The call, on the database connection or transaction that commits its changes. */
type Call<Result> = (db: Database) => Promise<Result>;

/** Runs the call, unless the response of an equal call is stored. Only tRPC middleware uses this. */
export async function runOnce<Result extends CallResult<unknown>>(
  ctx: KeyedContext,
  caller: string,
  path: string,
  getRawInput: () => Promise<unknown>,
  call: Call<Result>,
): Promise<Result> {
  const key = ctx.header(HEADER);
  if (key === undefined) return ctx.withPermit(() => call(ctx.db));
  if (!/^[\x21-\x7e]{1,256}$/.test(key)) {
    throw invalidArgument('Idempotency-Key must be 1 to 256 visible ASCII characters.');
  }
  const keyedCall: KeyedCall = { caller, path, key };
  const input = await getRawInput();
  await yieldIfLarge(ctx);
  const requestHash = createHash('sha256')
    .update(JSON.stringify(input ?? null))
    .digest();
  for (;;) {
    const result = await ctx.withPermit(() => runOrReplay(ctx, keyedCall, requestHash, call));
    if (result !== undefined) return result;
    await ctx.gate.keyedCalls.waitForResponse(keyedCall, ctx.signal);
  }
}

const keyReused = () =>
  invalidArgument('This Idempotency-Key was already used with another request.');

const responseUnreadable = () =>
  invalidArgument(
    'The stored response to the call with this Idempotency-Key can no longer be decrypted, because the SECRET_KEY ' +
      'of the server has changed. Read what the call changed before you repeat it with a new key.',
  );

/** @returns undefined if an equal call is running or has just ended: then this one must be tried again */
async function runOrReplay<Result extends CallResult<unknown>>(
  ctx: RequestContext,
  keyedCall: KeyedCall,
  requestHash: Buffer,
  call: Call<Result>,
): Promise<Result | undefined> {
  const { db, clock, secrets, gate } = ctx;
  const reservation = { ...keyedCall, owner: newId() };
  if (!(await reserve(db, reservation, requestHash, clock.now()))) {
    const stored = await findCall(db, keyedCall, clock.now());
    if (!stored) return undefined;
    if (!stored.isExpired) {
      const { sealedResponse, isRunning } = stored;
      if (!stored.requestHash.equals(requestHash)) throw keyReused();
      if (sealedResponse)
        return replay(secrets.openJson(sealedResponse, storageAddress(keyedCall)));
      if (isRunning) return undefined;
    }
    if (!(await takeOver(db, reservation, requestHash, clock.now()))) return undefined;
  }
  try {
    return await gate.keyedCalls.withRenewal(reservation, () =>
      runAndStore(ctx, reservation, call),
    );
  } catch (error) {
    if (!(error instanceof LostReservation)) throw error;
    return undefined;
  }
}

/**
 * Runs the call, and commits its changes together with its response.
 *
 * @throws LostReservation when another process took the reservation; then nothing was changed
 */
async function runAndStore<Result extends CallResult<unknown>>(
  ctx: RequestContext,
  reservation: Reservation,
  call: Call<Result>,
): Promise<Result> {
  // Responses may contain tokens, so they are encrypted like every stored secret.
  const encrypt = (text: string) => ctx.secrets.seal(text, storageAddress(reservation));
  // If the operation has no output, a live document may commit the changes of several operations in one
  // transaction. `store` then adds the empty response to that transaction.
  const operationDb = new OperationDatabase(ctx.db, {
    lock: (tx) => lockReservation(tx, reservation),
    store: (tx) => tx.beforeCommit(responseUpdate(reservation, encrypt(successText(undefined)))),
  });
  const result = await call(operationDb).catch(failedResultOf<Result>);
  const stored = textToStore(result);
  try {
    await operationDb.commitWith((db) =>
      stored === undefined
        ? release(db, reservation)
        : storeResponse(db, reservation, encrypt(stored)),
    );
  } catch (error) {
    if (error instanceof LostReservation) throw error;
    if (!(await releaseUnlessCommitted(ctx, reservation))) throw error;
  }
  return result;
}

/** Returns a thrown error, such as the refusal by a quota, as a result, so that the reservation is released. */
const failedResultOf = <Result>(error: unknown) =>
  failedResult(toTrpcError(toAppError(error))) as Result;

/**
 * After a commit whose result is unknown, releases the reservation if nothing was committed, so that
 * the call may be repeated at once.
 *
 * @returns whether the commit took place
 */
async function releaseUnlessCommitted(
  ctx: RequestContext,
  reservation: Reservation,
): Promise<boolean> {
  try {
    await release(ctx.db, reservation);
  } catch (error) {
    if (!(error instanceof LostReservation)) return false;
    const found = await findCall(ctx.db, reservation, ctx.clock.now());
    return Boolean(found?.sealedResponse);
  }
  return false;
}

/** Returns the response to store; undefined for a failure that may not occur again. */
function textToStore(result: CallResult<unknown>): string | undefined {
  if (result.ok) return successText(result.data);
  const { status, message, details, http, cause } = toAppError(result.error);
  // A call that lost a race in the database may succeed when repeated.
  const hasLostRace = status === 'ABORTED' && cause !== undefined;
  // A rate limit, a disconnected client or a failure of the server may not affect the next call.
  if (http >= 429 || hasLostRace) return undefined;
  const failure = { status, message, http, ...(details ? { details } : {}) };
  return JSON.stringify({ failure } satisfies StoredResult);
}

const successText = (data: unknown): string => writeJson({ data } satisfies StoredResult);

/** @param stored undefined when no key of the server decrypts the response */
function replay<Result>(stored: StoredResult | undefined): Result {
  if (!stored) throw responseUnreadable();
  const { data, failure } = stored;
  if (!failure) return okResult(data) as Result;
  const { status, message, ...options } = failure;
  throw new AppError(status, message, options);
}
