import type { Redis } from 'ioredis';
import { RateLimiterMemory, RateLimiterRedis, RateLimiterRes } from 'rate-limiter-flexible';
import { AppError } from '../platform/errors.ts';

export interface RateLimiter {
  /** @throws RESOURCE_EXHAUSTED when there have been too many under this name lately. */
  consume(name: string): Promise<void>;
}

interface Rate {
  /** How many there may be, in so many seconds. 0: no limit. */
  points: number;
  seconds: number;
  /** Sets its counts apart from those of other limits in Redis. */
  keyPrefix: string;
  refusal: string;
}

/** Requests a second for each API key. */
export const requestRate = (perSecond: number): Rate => ({
  points: perSecond,
  seconds: 1,
  keyPrefix: 'rate',
  refusal: 'Too many requests for this API key. Slow down.',
});

/**
 * Counted in Redis where there are several processes; while Redis is away, each process counts for
 * itself.
 */
export function createRateLimiter(rate: Rate, redis: Redis | undefined): RateLimiter {
  const { points, seconds, keyPrefix, refusal: message } = rate;
  if (points === 0) return { consume: async () => undefined };
  const options = { points, duration: seconds, keyPrefix };
  const memory = new RateLimiterMemory(options);
  const limiter = redis
    ? new RateLimiterRedis({ ...options, storeClient: redis, insuranceLimiter: memory })
    : memory;
  return {
    async consume(name) {
      try {
        await limiter.consume(name);
      } catch (refusal) {
        if (!(refusal instanceof RateLimiterRes)) throw refusal;
        throw new AppError('RESOURCE_EXHAUSTED', message, {
          retryAfterSeconds: Math.max(1, Math.ceil(refusal.msBeforeNext / 1000)),
        });
      }
    },
  };
}
