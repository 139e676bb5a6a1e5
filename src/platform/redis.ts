import { Redis, type RedisOptions } from 'ioredis';
import type { Logger } from './logging.ts';

/** The longest wait for Redis: every caller can continue without its reply. */
const COMMAND_TIMEOUT_MS = 200;
/** A connection on which a command had no reply for this long is closed. */
const SOCKET_TIMEOUT_MS = 1_000;
const CONNECT_TIMEOUT_MS = 2_000;
const HEARTBEAT_MS = 1_000;
/** Redis is reported as away when there was no connection at this many heartbeats. */
const MISSED_BEATS = 2;

/** Short enough to reconnect soon after a restart, and long enough to avoid a storm of attempts. */
const MAX_PAUSE_MS = 1_000;
const retryStrategy = (attempt: number): number => Math.min(attempt * 50, MAX_PAUSE_MS);

interface Watch {
  log: Logger;
  /** Called when Redis begins to answer on this connection, or no longer does. */
  onChange?: (isReachable: boolean) => void;
}

/**
 * Connects to Redis, again and again while it is unreachable. A server that hangs, or a network
 * that swallows packets, is noticed within two seconds, also while no command is sent.
 */
export function connectRedis(
  url: string,
  { log, onChange }: Watch,
  options: RedisOptions = {},
): Redis {
  const redis = new Redis(url, {
    commandTimeout: COMMAND_TIMEOUT_MS,
    socketTimeout: SOCKET_TIMEOUT_MS,
    connectTimeout: CONNECT_TIMEOUT_MS,
    retryStrategy,
    maxRetriesPerRequest: 1,
    ...options,
  });
  let wasReachable: boolean | undefined;
  const setReachable = (isReachable: boolean) => {
    if (isReachable !== wasReachable) onChange?.(isReachable);
    wasReachable = isReachable;
  };
  setReachable(false);
  let lastError: Error | undefined;
  redis.on('error', (error: Error) => {
    lastError = error;
  });
  redis.on('ready', () => setReachable(true));
  redis.on('close', () => setReachable(false));
  let missed = 0;
  const heartbeat = setInterval(() => {
    missed = redis.status === 'ready' ? 0 : missed + 1;
    // A ping without a timely answer is not logged: in a busy process, the answer may have arrived
    // and not been read yet.
    if (missed === MISSED_BEATS) log.warn({ err: lastError }, 'Redis cannot be reached.');
    if (missed > 0) return;
    redis.ping().then(
      () => setReachable(redis.status === 'ready'),
      () => setReachable(false),
    );
  }, HEARTBEAT_MS).unref();
  redis.on('end', () => clearInterval(heartbeat));
  return redis;
}
