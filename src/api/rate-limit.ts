import type { Redis } from 'ioredis';
import { RateLimiterMemory, RateLimiterRedis, RateLimiterRes } from 'rate-limiter-flexible';
import { AppError } from '../platform/errors.ts';

export interface RateLimiter {
  /** @throws RESOURCE_EXHAUSTED when the key has used up its second. */
  consume(tenantId: string): Promise<void>;
}

/**
 * Requests a second for each API key. Counted in Redis where there are several processes; while
 * Redis is away, each process counts for itself.
 */
export function createRateLimiter(perSecond: number, redis: Redis | undefined): RateLimiter {
  if (perSecond === 0) return { consume: async () => undefined };
  const options = { points: perSecond, duration: 1, keyPrefix: 'rate' };
  const memory = new RateLimiterMemory(options);
  const limiter = redis
    ? new RateLimiterRedis({ ...options, storeClient: redis, insuranceLimiter: memory })
    : memory;
  return {
    async consume(tenantId) {
      try {
        await limiter.consume(tenantId);
      } catch (refusal) {
        if (!(refusal instanceof RateLimiterRes)) throw refusal;
        throw new AppError('RESOURCE_EXHAUSTED', 'Too many requests for this API key. Slow down.', {
          retryAfterSeconds: Math.max(1, Math.ceil(refusal.msBeforeNext / 1000)),
        });
      }
    },
  };
}
