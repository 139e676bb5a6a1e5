import { Pool } from 'pg';
import type { Logger } from '../logging.ts';
import { breakDeadConnections } from './dead-connections.ts';
import { readInTurns } from './read-in-turns.ts';
import { PLAN_LIFETIME_MS, renewPlans } from './renew-plans.ts';

/** The longest wait for a connection, and for the pool to close. */
export const MAX_WAIT_MS = 5_000;

/** Compiling a plan takes longer than any of ours runs. */
const NO_COMPILING = '-c jit=off';

export interface PoolOptions {
  url: string;
  poolSize: number;
  log: Logger;
  /** How long a connection keeps its plans. */
  planLifetimeMs?: number;
}

export function openPool({
  url,
  poolSize,
  log,
  planLifetimeMs = PLAN_LIFETIME_MS,
}: PoolOptions): Pool {
  const pool = new Pool({
    connectionString: url,
    max: poolSize,
    pipeline: true,
    connectionTimeoutMillis: MAX_WAIT_MS,
    keepAlive: true,
    keepAliveInitialDelayMillis: 5_000,
    idleTimeoutMillis: 60_000,
    statement_timeout: 30_000,
    // For a network that drops packets, where a dead connection is not noticed otherwise.
    query_timeout: 35_000,
    idle_in_transaction_session_timeout: 30_000,
    application_name: 'collaboration-backend',
    options: NO_COMPILING,
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
  renewPlans(pool, planLifetimeMs);
  breakDeadConnections({ pool, url, log });
  return pool;
}
