import { Pool } from 'pg';
import type { Logger } from '../logging.ts';
import { breakDeadConnections } from './dead-connections.ts';
import { HostRotation } from './hosts.ts';
import { readInTurns } from './read-in-turns.ts';
import { PLAN_LIFETIME_MS, renewPlans } from './renew-plans.ts';

/** The longest wait for a connection, and for the pool to close. */
export const MAX_WAIT_MS = 5_000;

/** The settings of every session. */
export const SESSION_SETTINGS = {
  // Compiling a plan takes longer than any of ours runs.
  jit: 'off',
  statement_timeout: '30s',
  idle_in_transaction_session_timeout: '30s',
} as const;

/** The parameter `options` for long work: the role may have our time limits as defaults. */
export const UNLIMITED = '-c statement_timeout=0';

/** Settings as the parameter `options` of a connection. */
const asOptions = (settings: Record<string, string>): string =>
  Object.entries(settings)
    .map(([name, value]) => `-c ${name}=${value}`)
    .join(' ');

export interface PoolOptions {
  url: string;
  poolSize: number;
  log: Logger;
  /**
   * Whether a pooler hands each transaction to another connection (PgBouncer). It refuses parameters
   * of sessions, so the role has them as defaults (role-defaults.ts).
   */
  isPooled?: boolean;
  /** Whether statements are prepared once for each connection; false with poolers before 1.21. */
  preparesStatements?: boolean;
  /** How long a connection keeps its plans. */
  planLifetimeMs?: number;
}

export function openPool({
  url,
  poolSize,
  log,
  isPooled = false,
  preparesStatements = true,
  planLifetimeMs = PLAN_LIFETIME_MS,
}: PoolOptions): Pool {
  const hosts = new HostRotation(url);
  const pool = new Pool({
    ...hosts.poolOptions(),
    max: poolSize,
    pipeline: true,
    connectionTimeoutMillis: MAX_WAIT_MS,
    keepAlive: true,
    keepAliveInitialDelayMillis: 5_000,
    idleTimeoutMillis: 60_000,
    // For a network that drops packets, where a dead connection is not noticed otherwise.
    query_timeout: 35_000,
    application_name: 'collaboration-backend',
    ...(!isPooled && { options: asOptions(SESSION_SETTINGS) }),
  });
  // Without these listeners, a lost connection would end the process. The pool reports idle
  // connections only; on a connection in use, the running statement fails. While the pool closes,
  // lost connections are expected, as the server may be stopped before it has read the farewell.
  pool.on('error', (error) => {
    if (!pool.ending) log.warn({ err: error }, 'A database connection was lost.');
  });
  pool.on('connect', (client) => {
    client.on('error', () => undefined);
    readInTurns(client);
  });
  if (preparesStatements) renewPlans(pool, planLifetimeMs);
  breakDeadConnections({ pool, hosts, log });
  return pool;
}
