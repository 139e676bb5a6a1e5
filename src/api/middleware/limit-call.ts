import type { Database } from '../../platform/database/database.ts';
import { yieldIfLarge } from '../body/json-body.ts';
import type { RequestContext } from '../context.ts';
import { itemsIn } from '../limits/work-limits.ts';
import { toAppError, toTrpcError } from '../responses/failures.ts';
import { failedResult } from '../trpc-internals.ts';

/** Runs a call as soon as its caller has a permit. A refusal is returned like any other failure. */
export type WithPermit = <Result>(call: () => Promise<Result>) => Promise<Result>;

interface CallLimits {
  /** The database for this caller: it waits for connections in the caller's queue, and charges the caller for their time. */
  db: Database;
  withPermit: WithPermit;
}

/** The facts about a call that tRPC passes to its middleware. */
interface Call {
  type: 'query' | 'mutation' | 'subscription';
  getRawInput: () => Promise<unknown>;
  /** See `OperationMeta`. */
  sharesCommit?: boolean | undefined;
  fromReplica?: boolean | undefined;
  userId?: string | undefined;
}

/**
 * Charges the caller for the size of a call. The returned `withPermit` delays mutations while old events
 * wait to enter the log. Only for tRPC middleware, since `withPermit` returns a refusal as a result of middleware.
 *
 * @throws RESOURCE_EXHAUSTED when the caller has used up a budget.
 */
export async function limitCall(
  ctx: RequestContext,
  caller: string,
  { type, getRawInput, sharesCommit = false, fromReplica = false, userId }: Call,
): Promise<CallLimits> {
  const { body, events, signal } = ctx;
  const { workLimits } = ctx.gate;
  await yieldIfLarge(ctx);
  const items = Math.max(1, itemsIn(await getRawInput()));
  const work = { items, bytes: body.unchargedBytes, sharesCommit, userId };
  workLimits.charge(caller, work);
  body.unchargedBytes = 0;
  const onTime = (ms: number) => workLimits.chargeDatabase(caller, ms);
  return {
    db: (fromReplica ? ctx.replicaReads : ctx.db).for({ name: caller, onTime }),
    async withPermit<Result>(call: () => Promise<Result>): Promise<Result> {
      try {
        return await workLimits.withPermit(caller, work, signal, async () => {
          if (type === 'mutation') await events.slowDown(signal);
          return call();
        });
      } catch (error) {
        return failedResult(toTrpcError(toAppError(error))) as Result;
      }
    },
  };
}
