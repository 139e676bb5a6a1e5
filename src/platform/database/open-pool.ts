import { Pool, type PoolClient } from 'pg';
import { nextChunk } from '../event-loop.ts';
import type { Logger } from '../logging.ts';
import { closeDeadConnections } from './dead-connections.ts';
import { HostRotation } from './hosts.ts';
import { sendTogether } from './pipeline.ts';

/** Planning a statement again takes less than a millisecond, so it may be done this often. */
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
  // The driver reads times in no other format.
  DateStyle: 'ISO',
} as const;

/** The same as the parameter `options` of a connection. */
const SESSION_OPTIONS = Object.entries(SESSION_SETTINGS)
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
  /** Whether each connection prepares statements; false behind PgBouncer before 1.21, which cannot. */
  preparesStatements?: boolean;
  /** How long a connection keeps its plans. */
  planLifetimeMs?: number;
  /** How long the server may take to answer a statement. */
  maxAnswerMs?: number;
}

export function openPool({
  url,
  poolSize,
  log,
  isPooled = false,
  preparesStatements = true,
  planLifetimeMs = PLAN_LIFETIME_MS,
  maxAnswerMs,
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
    // There is no query_timeout, since its timer would keep the rows of each statement in memory for long.
    application_name: 'collaboration-backend',
    ...(!isPooled && { options: SESSION_OPTIONS }),
  });
  // Without these listeners, a lost connection would end the process. The pool reports idle
  // connections only; on a connection in use, the running statement fails. While the pool closes,
  // lost connections are expected, as the server may be stopped before it has read the termination
  // message.
  pool.on('error', (error) => {
    if (!pool.ending) log.warn({ err: error }, 'A database connection was lost.');
  });
  pool.on('connect', (client) => {
    client.on('error', () => undefined);
    readInTurns(client);
  });
  if (preparesStatements) renewPlans(pool, planLifetimeMs);
  closeDeadConnections({ pool, hosts, log, maxAnswerMs });
  return pool;
}

/**
 * Lets connections plan their prepared statements again from time to time. PostgreSQL keeps a plan
 * with its connection until the table is analyzed, often a minute later. A plan that was made while
 * the table was small reads it as a whole, and the table may have grown a thousandfold by then.
 */
function renewPlans(pool: Pool, lifetimeMs: number): void {
  const plannedAt = new WeakMap<PoolClient, number>();
  pool.on('connect', (client) => plannedAt.set(client, performance.now()));
  pool.on('acquire', (client) => {
    const now = performance.now();
    if (now - (plannedAt.get(client) ?? now) < lifetimeMs) return;
    plannedAt.set(client, now);
    // The next statement is sent together with this one, which therefore needs no round trip of its own.
    sendTogether(client);
    // On a lost connection, the statement that follows fails too.
    client.query('DISCARD PLANS').catch(() => undefined);
  });
}

/** A chunk of this many bytes is probably not the end of its answer: more has likely arrived already. */
const LARGE_CHUNK = 32 * 1024;

/**
 * Reads a long answer of the database one chunk at a time, with other work in between: the rows of each
 * chunk are parsed as it arrives, and megabytes of them can be there at once.
 */
function readInTurns({ connection: { stream } }: PoolClient): void {
  stream.on('data', (chunk: Buffer) => {
    if (chunk.length < LARGE_CHUNK) return;
    stream.pause();
    setImmediate(async () => {
      await nextChunk();
      stream.resume();
    });
  });
}
