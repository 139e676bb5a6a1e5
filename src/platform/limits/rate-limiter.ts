import type { Redis } from 'ioredis';
import { RateLimiterMemory, RateLimiterRedis, RateLimiterRes } from 'rate-limiter-flexible';
import { AppError } from '../errors.ts';

export interface RateLimiter {
  /** @throws RESOURCE_EXHAUSTED when the rate for this name is exceeded */
  consume(name: string): Promise<void>;
}

interface Rate {
  /** The number of allowed calls in `seconds`; 0 disables the limit. */
  points: number;
  seconds: number;
  /** Separates the counters of different limits in Redis. */
  keyPrefix: string;
  /** The message for callers above the limit. */
  refusal: string;
}

export const requestRate = (perSecond: number): Rate => ({
  points: perSecond,
  seconds: 1,
  keyPrefix: 'rate',
  refusal: 'Too many requests for this API key. Slow down.',
});

/**
 * Creates a limiter that counts the calls of each name in Redis, so that all processes count together.
 * Without Redis, and while Redis does not respond, each process counts alone.
 */
export function createRateLimiter(rate: Rate, redis: Redis | undefined): RateLimiter {
  if (rate.points === 0) return { consume: async () => undefined };
  const counters = createCounters(rate, redis);
  return {
    async consume(name) {
      try {
        await counters.consume(name);
      } catch (rejection) {
        if (!(rejection instanceof RateLimiterRes)) throw rejection;
        throw new AppError('RESOURCE_EXHAUSTED', rate.refusal, {
          retryAfterSeconds: Math.max(1, Math.ceil(rejection.msBeforeNext / 1000)),
        });
      }
    },
  };
}

function createCounters({ points, seconds, keyPrefix }: Rate, redis: Redis | undefined) {
  const options = { points, duration: seconds, keyPrefix };
  const inMemory = new RateLimiterMemory(options);
  if (!redis) return inMemory;
  return new RateLimiterRedis({
    ...options,
    storeClient: redis,
    insuranceLimiter: inMemory,
    // Redis is not asked again for a name that has used up its calls.
    inMemoryBlockOnConsumed: points,
  });
}
