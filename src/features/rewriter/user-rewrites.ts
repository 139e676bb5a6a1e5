import type { KeyContext } from '../../api/context.ts';
import { AppError } from '../../platform/errors.ts';
import { NoPermitError } from '../../platform/limits/keyed-semaphore.ts';

/** The rewrites that one user may run at a time in one process. Further ones are refused without waiting. */
export const USER_REWRITE_PERMITS = { perKey: 2, maxWaiting: 0, maxWaitMs: 0 };

/** The rewrites that one user may start in a minute, over all processes. */
export const USER_REWRITE_RATE = {
  points: 20,
  seconds: 60,
  keyPrefix: 'rewrites',
  refusal: 'You have started too many rewrites within a minute. Try again later.',
};

/**
 * Requires that the API key lets its users ask models for rewrites, because the workspace's provider
 * keys pay for them.
 *
 * @throws PERMISSION_DENIED
 */
export function requireUsersMayRewrite({ userId, key }: KeyContext): void {
  if (userId === undefined || key.allowUserRewrites) return;
  throw new AppError('PERMISSION_DENIED', 'This API key does not let users ask models.');
}

/**
 * Limits the rewrites of each user, so that no user can use up the limits of the whole workspace. Calls with an
 * auth token have no such limit.
 *
 * @returns a function that releases the permit.
 * @throws RESOURCE_EXHAUSTED
 */
export async function acquireRewritePermit(ctx: KeyContext): Promise<() => void> {
  if (ctx.userId === undefined) return () => undefined;
  const name = JSON.stringify([ctx.tenantId, ctx.userId]);
  const release = await ctx.modelLimits.userCalls
    .acquire(name, ctx.signal)
    .catch(rethrowAsExhausted);
  try {
    await ctx.modelLimits.userRate.consume(name);
    return release;
  } catch (error) {
    release();
    throw error;
  }
}

function rethrowAsExhausted(error: unknown): never {
  if (!(error instanceof NoPermitError)) throw error;
  const message = `You already have ${USER_REWRITE_PERMITS.perKey} rewrites in progress. Wait until one of them is done.`;
  throw new AppError('RESOURCE_EXHAUSTED', message, { retryAfterSeconds: 5 });
}
