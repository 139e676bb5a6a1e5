import { Redis, type RedisOptions } from 'ioredis';
import type { Logger } from './logging.ts';

/** The longest wait for Redis: every caller can continue without its reply. */
const COMMAND_TIMEOUT_MS = 200;
/** A connection on which a command had no reply for this long is closed. */
const SOCKET_TIMEOUT_MS = 1_000;
const CONNECT_TIMEOUT_MS = 2_000;
const HEARTBEAT_MS = 1_000;
/** A warning is logged when there was no connection at this many heartbeats in a row. */
const MISSED_BEATS = 2;

/** Short enough to reconnect soon after a restart, and long enough to avoid a storm of attempts. */
const MAX_PAUSE_MS = 1_000;
const retryStrategy = (attempt: number): number => Math.min(attempt * 50, MAX_PAUSE_MS);

interface Watch {
  log: Logger;
  /** Called when Redis becomes reachable over this connection, or unreachable. */
  onChange?: (isReachable: boolean) => void;
}

/**
 * Connects to Redis, and keeps trying while Redis is unreachable. A server that hangs, or a network
 * that swallows packets, is noticed within two seconds, even while no command is sent.
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
    // A ping without a timely reply is not logged: a busy process may have received the reply, but
    // not read it yet.
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
