import { Redis } from 'ioredis';
import type { Logger } from '../platform/logging.ts';

/** A connection that publishes, and one that listens. */
export interface RedisPair {
  pub: Redis;
  sub: Redis;
}

/** Soon back after a restart, and no storm of attempts while Redis is away. */
const LONGEST_PAUSE_MS = 1_000;
const retryStrategy = (attempt: number): number => Math.min(attempt * 50, LONGEST_PAUSE_MS);

export function connectRedisPair(url: string, log: Logger): RedisPair {
  const pub = new Redis(url, { retryStrategy, maxRetriesPerRequest: 1 });
  // What it is to listen to waits for as long as it takes.
  const sub = new Redis(url, { retryStrategy, maxRetriesPerRequest: null });
  for (const redis of [pub, sub]) {
    redis.on('error', (error: Error) => log.warn({ err: error }, 'Redis cannot be reached.'));
  }
  forgiveLostMessages(pub, log);
  return { pub, sub };
}

/**
 * A message that did not go out is no failure of what it tells of: processes compare notes once
 * Redis is back. The extension would write it to the console.
 */
function forgiveLostMessages(pub: Redis, log: Logger): void {
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
