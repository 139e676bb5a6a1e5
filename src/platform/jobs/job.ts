import type { z } from 'zod';
import { type Queryable, type Sql, sql } from '../database/database.ts';

/** A kind of background job. Its handler is defined separately. */
export interface Job<Payload extends object> {
  /** Feature first, e.g. `folders.delete`. */
  name: string;
  payload: z.ZodType<Payload>;
  /** At most one job of this kind with the same key is waiting or running. */
  keyOf(payload: Payload): string;
}

/** A job's handler as the queue sees it. */
export interface JobHandler<Context> {
  name: string;
  run(context: Context, payload: unknown, signal: AbortSignal): Promise<void>;
}

/**
 * Defines the handler of a job. `work` may be repeated after a crash, or run twice at the same
 * time, so it must be idempotent. Between its steps it checks `signal` (`signal.throwIfAborted()`).
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

/**
 * SQL that is true while such a job is waiting or running. It uses the words of pg-boss's own
 * index.
 */
export const isUnderWay = <Payload extends object>(job: Job<Payload>, payload: Payload): Sql => sql`
  EXISTS (
    SELECT 1 FROM pgboss.job
    WHERE name = ${job.name} AND COALESCE(singleton_key, '') = ${job.keyOf(payload)}
      AND state <= 'active' AND policy = 'exclusive')`;

/** Returns the payloads whose jobs are waiting or running, in one statement. */
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

/** Returns the payloads of a tenant's waiting and running jobs of one kind. */
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
