import { TRPCError } from '@trpc/server';
import type { Database } from '../platform/database/database.ts';
import { STATUSES } from '../platform/errors.ts';
import { nextPiece } from '../platform/turns.ts';
import { isLargeBody } from './body/json-body.ts';
import type { RequestContext } from './context.ts';
import { toAppError } from './responses/failures.ts';
import { failed } from './trpc-internals.ts';
import { itemsIn } from './work-limits.ts';

/** Runs the call in the caller's turn; that there is none is a result, as any failure is. */
export type InTurn = <Result>(call: () => Promise<Result>) => Promise<Result>;

interface Turns {
  /** The database, in which the caller waits in a line of its own and is charged for its time. */
  db: Database;
  inTurn: InTurn;
}

/**
 * Charges the caller for what a call brings with it. Only tRPC middleware uses it.
 *
 * @throws RESOURCE_EXHAUSTED when the caller has used up what it may.
 */
export async function takeTurns(
  ctx: RequestContext,
  caller: string,
  getRawInput: () => Promise<unknown>,
): Promise<Turns> {
  const { workLimits, body, signal } = ctx;
  body.isLarge ??= isLargeBody(body.unchargedBytes);
  const inPieces = async <Result>(one: () => Promise<Result>): Promise<Result> => {
    if (body.isLarge) await nextPiece();
    return one();
  };
  const items = Math.max(1, itemsIn(await inPieces(getRawInput)));
  const work = { items, bytes: body.unchargedBytes };
  workLimits.charge(caller, work);
  body.unchargedBytes = 0;
  const onTime = (ms: number) => workLimits.chargeDatabase(caller, ms);
  return {
    db: ctx.db.for({ name: caller, onTime }),
    async inTurn<Result>(call: () => Promise<Result>): Promise<Result> {
      try {
        return await workLimits.inTurn(caller, work, signal, () => inPieces(call));
      } catch (error) {
        return failed(toTrpcError(error)) as Result;
      }
    },
  };
}

function toTrpcError(error: unknown): TRPCError {
  const cause = toAppError(error);
  return new TRPCError({ code: STATUSES[cause.status].trpc, cause });
}
