import type { KeyContext } from '../../api/context.ts';
import { AppError } from '../../platform/errors.ts';
import { NoPermitError } from '../../platform/limits/keyed-semaphore.ts';

/** The concurrent answers of one user in one process; further requests are refused without waiting. */
export const USER_REWRITES = { perKey: 2, maxWaiting: 0, maxWaitMs: 0 };

/** The answers that one user may start in a minute, over all processes. */
export const USER_REWRITE_RATE = {
  points: 20,
  seconds: 60,
  keyPrefix: 'rewrites',
  refusal: 'You have asked too often within a minute. Try again later.',
};

/**
 * The workspace's provider keys pay for answers, so users need the permission of the API key.
 *
 * @throws PERMISSION_DENIED
 */
export function requireUserRewrites({ userId, key }: KeyContext): void {
  if (userId === undefined || key.allowUserRewrites) return;
  throw new AppError('PERMISSION_DENIED', 'This API key does not let users ask models.');
}

/**
 * Limits the answers of each user, so that no user takes all that a workspace may have. API keys have no such
 * limit.
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
  const message = `You have ${USER_REWRITES.perKey} answers under way. Wait for one of them.`;
  throw new AppError('RESOURCE_EXHAUSTED', message, { retryAfterSeconds: 5 });
}
