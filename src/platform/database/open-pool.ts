import { Pool, type PoolClient } from 'pg';
import { nextLongTurn } from '../event-loop.ts';
import type { Logger } from '../logging.ts';
import { closeDeadConnections } from './dead-connections.ts';
import { HostRotation } from './hosts.ts';
import { sendTogether } from './pipeline.ts';

/** How long plans are kept. Planning a statement again takes less than a millisecond. */
const PLAN_LIFETIME_MS = 10_000;
/** The longest wait for a connection, and for the pool to close. */
export const MAX_WAIT_MS = 5_000;

/** The settings of every session. */
export const SESSION_SETTINGS = {
  // Compiling a plan takes longer than running any statement of this server.
  jit: 'off',
  // Otherwise PostgreSQL plans many statements again for the values of each call, which takes longer than
  // running them.
  plan_cache_mode: 'force_generic_plan',
  statement_timeout: '30s',
  idle_in_transaction_session_timeout: '30s',
  // The driver can read times only in this format.
  DateStyle: 'ISO',
} as const;

/** The same settings, as the parameter `options` of a connection. */
const SESSION_OPTIONS = Object.entries(SESSION_SETTINGS)
  .map(([name, value]) => `-c ${name}=${value}`)
  .join(' ');

export interface PoolOptions {
  url: string;
  poolSize: number;
  log: Logger;
  /**
   * Whether a pooler (PgBouncer) runs each transaction on any of its connections. PgBouncer refuses session
   * parameters, so the settings are made defaults of the role (role-defaults.ts).
   */
  isPooled?: boolean;
  /** Whether each connection prepares statements; false behind PgBouncer before 1.21, which cannot. */
  preparesStatements?: boolean;
  /** How long a connection keeps its plans. */
  planLifetimeMs?: number;
  /** How long a statement may take before its connection counts as dead. */
  maxStatementMs?: number;
}

export function openPool({
  url,
  poolSize,
  log,
  isPooled = false,
  preparesStatements = true,
  planLifetimeMs = PLAN_LIFETIME_MS,
  maxStatementMs,
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
    // There is no query_timeout: its timer would keep the rows of each statement in memory for a long time.
    application_name: 'collaboration-backend',
    ...(!isPooled && { options: SESSION_OPTIONS }),
  });
  // Without these listeners, a lost connection would end the process. The pool reports only idle
  // connections; on a connection in use, the running statement fails. While the pool closes, lost
  // connections are expected: the server may stop before it has read the termination message.
  pool.on('error', (error) => {
    if (!pool.ending) log.warn({ err: error }, 'A database connection was lost.');
  });
  pool.on('connect', (client) => {
    client.on('error', () => undefined);
    readInTurns(client);
  });
  if (preparesStatements) renewPlans(pool, planLifetimeMs);
  closeDeadConnections({ pool, hosts, log, maxStatementMs });
  return pool;
}

/**
 * Makes connections plan their prepared statements again from time to time. PostgreSQL keeps a
 * connection's plan until the table is analyzed, often a minute later. A plan that was made for a small
 * table scans all of it, although the table may have grown a thousandfold since.
 */
function renewPlans(pool: Pool, lifetimeMs: number): void {
  const plannedAt = new WeakMap<PoolClient, number>();
  pool.on('connect', (client) => plannedAt.set(client, performance.now()));
  pool.on('acquire', (client) => {
    const now = performance.now();
    if (now - (plannedAt.get(client) ?? now) < lifetimeMs) return;
    plannedAt.set(client, now);
    // This statement is sent together with the next one, so it costs no round trip.
    sendTogether(client);
    // If the connection is lost, the next statement fails, too.
    client.query('DISCARD PLANS').catch(() => undefined);
  });
}

/** After a chunk of this size, more of the same result has probably arrived already. */
const LARGE_CHUNK_BYTES = 32 * 1024;

/**
 * Reads a long result one chunk at a time, with other work in between: the rows of a chunk are parsed
 * as soon as it is read, and megabytes of rows may have arrived.
 */
function readInTurns({ connection: { stream } }: PoolClient): void {
  stream.on('data', (chunk: Buffer) => {
    if (chunk.length < LARGE_CHUNK_BYTES) return;
    stream.pause();
    setImmediate(async () => {
      await nextLongTurn();
      stream.resume();
    });
  });
}
