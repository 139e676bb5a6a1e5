import type { Redis } from 'ioredis';
import type { Services } from '../../api/context.ts';
import type { Logger } from '../../platform/logging.ts';
import { connectRedis } from '../../platform/redis.ts';

/** A connection that publishes, and one that subscribes. */
export interface RedisPair {
  pub: Redis;
  sub: Redis;
}

export function connectRedisPair(
  url: string,
  { log, metrics }: Pick<Services, 'log' | 'metrics'>,
): RedisPair {
  const watch = (connection: string) => ({
    log,
    onChange: (isReachable: boolean) => metrics.redisUp.set({ connection }, Number(isReachable)),
  });
  const pub = connectRedis(url, watch('publish'));
  // Subscriptions wait for Redis without a limit.
  const sub = connectRedis(url, watch('subscribe'), {
    commandTimeout: undefined,
    maxRetriesPerRequest: null,
  });
  ignoreLostMessages(pub, log);
  return { pub, sub };
}

/**
 * Ignores lost messages, which the extension would log to the console: processes synchronize once Redis
 * is back.
 */
function ignoreLostMessages(pub: Redis, log: Logger): void {
  const publish = pub.publish.bind(pub);
  pub.publish = async (channel: string | Buffer, message: string | Buffer): Promise<number> => {
    try {
      return await publish(channel, message);
    } catch (error) {
      log.debug({ err: error }, 'A message to other processes was lost.');
      return 0;
    }
  };
}
