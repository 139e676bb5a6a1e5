import { createHash } from 'node:crypto';
import type { TRPCError } from '@trpc/server';
import type { Database } from '../../platform/database/database.ts';
import { OperationDatabase } from '../../platform/database/operation-database.ts';
import { AppError, invalidArgument, type Status } from '../../platform/errors.ts';
import { newId } from '../../platform/ids.ts';
import { writeJson } from '../../platform/json.ts';
import { turnFor } from '../body/json-body.ts';
import type { RequestContext } from '../context.ts';
import {
  type Entry,
  find,
  holdReservation,
  LostReservation,
  type Reservation,
  release,
  reserve,
  storageAddress,
  storeAnswer,
  storingOf,
  takeOver,
} from '../idempotency/reservations.ts';
import { toAppError } from '../responses/failures.ts';
import { succeeded } from '../trpc-internals.ts';
import type { WithPermit } from './limit-call.ts';

/**
 * Implements `Idempotency-Key` for writes (decisions section 2): within 24 hours an equal call
 * receives the first response again, and a call during the first one waits for it. The changes of a
 * call and its response are committed together, so that the process may crash at any moment.
 */

const HEADER = 'idempotency-key';

type CallResult<Data> = { ok: true; data: Data } | { ok: false; error: TRPCError };

interface StoredAnswer {
  data?: unknown;
  failure?: { status: Status; message: string; details?: Record<string, unknown>; http: number };
}

interface KeyedContext extends RequestContext {
  /** Runs the call within the limits of its caller. Equal calls wait outside of these limits. */
  withPermit: WithPermit;
}

/** The call, on the database connection or transaction that commits its changes. */
type Call<Result> = (db: Database) => Promise<Result>;

/** Runs the call unless an equal one was already answered. Only tRPC middleware uses it. */
export async function answerOnce<Result extends CallResult<unknown>>(
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
  const entry: Entry = { caller, path, key };
  const input = await getRawInput();
  await turnFor(ctx);
  const requestHash = createHash('sha256')
    .update(JSON.stringify(input ?? null))
    .digest();
  for (;;) {
    const running = ctx.gate.keyedCalls.inFlight(entry);
    if (!running) return runForAll(ctx, entry, requestHash, call);
    const outcome = await running.outcome;
    ctx.signal?.throwIfAborted();
    if (outcome === undefined) continue;
    if (!running.requestHash.equals(requestHash)) throw keyReused();
    return replay<Result>(outcome);
  }
}

const keyReused = () => invalidArgument('This Idempotency-Key was used with another request.');

/** Runs the call for all equal calls in this process. */
function runForAll<Result extends CallResult<unknown>>(
  ctx: KeyedContext,
  entry: Entry,
  requestHash: Buffer,
  call: Call<Result>,
): Promise<Result> {
  return ctx.gate.keyedCalls.run(entry, requestHash, (settle) =>
    ctx.withPermit(async () => {
      for (;;) {
        const claimed = await claimOrAwait(ctx, entry, requestHash);
        if (typeof claimed === 'string') {
          settle(claimed);
          return replay<Result>(claimed);
        }
        try {
          return await ctx.gate.keyedCalls.withRenewal(claimed, () =>
            answer(ctx, claimed, call, settle),
          );
        } catch (error) {
          if (!(error instanceof LostReservation)) throw error;
        }
      }
    }),
  );
}

/** @returns the stored response of the first call, or a reservation if this call must run */
async function claimOrAwait(
  ctx: RequestContext,
  entry: Entry,
  requestHash: Buffer,
): Promise<Reservation | string> {
  const { db, clock } = ctx;
  for (;;) {
    const reservation = { ...entry, owner: newId() };
    if (await reserve(db, reservation, requestHash, clock.now())) return reservation;
    const found = await find(db, entry, clock.now());
    if (!found) continue;
    if (!found.isExpired) {
      if (!found.requestHash.equals(requestHash)) throw keyReused();
      if (found.sealedAnswer) return ctx.secrets.open(found.sealedAnswer, storageAddress(entry));
    }
    const isFree = found.isExpired || !found.isRunning;
    if (isFree && (await takeOver(db, reservation, requestHash, clock.now()))) return reservation;
    await ctx.gate.keyedCalls.waitForAnswer(entry, ctx.signal);
  }
}

/** @throws LostReservation when another process took the reservation; then nothing was changed */
async function answer<Result extends CallResult<unknown>>(
  ctx: RequestContext,
  reservation: Reservation,
  call: Call<Result>,
  settle: (outcome: string) => void,
): Promise<Result> {
  // Answers may hold tokens, so they are sealed like every secret at rest.
  const seal = (text: string) => ctx.secrets.seal(text, storageAddress(reservation));
  const own = new OperationDatabase(ctx.db, (data) => ({
    hold: (tx) => holdReservation(tx, reservation),
    store: (tx) => tx.beforeCommit(storingOf(reservation, seal(textOf(data)))),
  }));
  const result = await call(own);
  const stored = storedOf(result);
  try {
    await own.commitWith((db) =>
      stored === undefined ? release(db, reservation) : storeAnswer(db, reservation, seal(stored)),
    );
  } catch (error) {
    if (error instanceof LostReservation) throw error;
    const committed = await outcomeOf(ctx, reservation);
    if (committed === undefined && !result.ok) return result;
    if (committed === undefined) throw error;
    settle(committed);
    return result;
  }
  if (stored !== undefined) settle(stored);
  return result;
}

/**
 * Reads whether a commit with a lost response took place. If not, the call may be repeated at once.
 */
async function outcomeOf(ctx: RequestContext, reservation: Reservation) {
  try {
    await release(ctx.db, reservation);
  } catch (error) {
    if (!(error instanceof LostReservation)) return undefined;
    const found = await find(ctx.db, reservation, ctx.clock.now());
    const sealed = found?.sealedAnswer;
    return sealed ? ctx.secrets.open(sealed, storageAddress(reservation)) : undefined;
  }
  return undefined;
}

/** Failures on the server's side may disappear, so they are not stored. */
function storedOf(result: CallResult<unknown>): string | undefined {
  if (result.ok) return textOf(result.data);
  const { status, message, details, http, cause } = toAppError(result.error);
  // A call that lost a race in the database may succeed when repeated.
  const lostRace = status === 'ABORTED' && cause !== undefined;
  if (http >= 429 || http < 400 || lostRace) return undefined;
  const failure = { status, message, http, ...(details ? { details } : {}) };
  return JSON.stringify({ failure } satisfies StoredAnswer);
}

const textOf = (data: unknown): string => writeJson({ data } satisfies StoredAnswer);

function replay<Result>(stored: string): Result {
  const { data, failure }: StoredAnswer = JSON.parse(stored);
  if (!failure) return succeeded(data) as Result;
  const { status, message, ...options } = failure;
  throw new AppError(status, message, options);
}
