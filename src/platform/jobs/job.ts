import type { z } from 'zod';
import { type Queryable, type Sql, sql } from '../database/database.ts';

/** A kind of work that outlives the request that asks for it. What it does stands in its handler. */
export interface Job<Payload extends object> {
  /** Feature first, e.g. `folders.delete`. */
  name: string;
  payload: z.ZodType<Payload>;
  /** Of the jobs of one kind with the same key, only one waits or runs. */
  keyOf(payload: Payload): string;
}

/** A job's handler as the queue sees it. */
export interface JobHandler<Context> {
  name: string;
  run(context: Context, payload: unknown, signal: AbortSignal): Promise<void>;
}

/**
 * Says what a job does. `work` may be run again after a crash, or beside itself, so it must be
 * idempotent; between its steps it asks `signal` whether to go on (`signal.throwIfAborted()`).
 */
export function handleJob<Context, Payload extends object>(
  job: Job<Payload>,
  work: (context: Context, payload: Payload, signal: AbortSignal) => Promise<void>,
): JobHandler<Context> {
  return {
    name: job.name,
    run: (context, payload, signal) => work(context, job.payload.parse(payload), signal),
  };
}

/** SQL that says whether such a job waits or runs. Its words are those of pg-boss's own index. */
export const isUnderWay = <Payload extends object>(job: Job<Payload>, payload: Payload): Sql => sql`
  EXISTS (
    SELECT 1 FROM pgboss.job
    WHERE name = ${job.name} AND COALESCE(singleton_key, '') = ${job.keyOf(payload)}
      AND state <= 'active' AND policy = 'exclusive')`;

/** Those of the payloads whose job waits or runs: one statement, however many. */
export async function underWay<Payload extends object>(
  db: Queryable,
  job: Job<Payload>,
  payloads: Payload[],
): Promise<Payload[]> {
  if (payloads.length === 0) return [];
  const keys = payloads.map((payload) => job.keyOf(payload));
  const rows = await db.query<{ key: string }>(sql`
    SELECT singleton_key AS key FROM pgboss.job
    WHERE name = ${job.name} AND COALESCE(singleton_key, '') = ANY(${keys})
      AND state <= 'active' AND policy = 'exclusive'`);
  const found = new Set(rows.map((row) => row.key));
  return payloads.filter((_, index) => found.has(keys[index] ?? ''));
}

/** The payloads of a tenant's jobs of one kind that wait or run. */
export async function underWayOf<Payload extends object>(
  db: Queryable,
  job: Job<Payload>,
  tenantId: string,
): Promise<Payload[]> {
  const rows = await db.query<{ payload: unknown }>(sql`
    SELECT data AS payload FROM pgboss.job
    WHERE name = ${job.name} AND state <= 'active' AND policy = 'exclusive'
      AND data->>'tenantId' = ${tenantId}`);
  return rows.map(({ payload }) => job.payload.parse(payload));
}
