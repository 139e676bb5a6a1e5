import { type Queryable, raw, type Sql, sql } from '../../platform/database/database.ts';
import type { QuotaName } from './limits.ts';

/** How much a key has used of each quota: the stored bytes, and today's emails and model tokens. */
export type Usage = Record<QuotaName, number>;

interface UsageIncrease {
  bytes?: number;
  mails?: number;
  modelTokens?: number;
  /** If content may have changed: storage is measured again within this time plus the pause (`PAUSE_FACTOR`). */
  measureWithinMs?: number;
}

const DAY_MS = 86_400_000;

/**
 * The pause before storage is measured again is this many times as long as the last measurement, so that
 * measuring takes little of the database's time.
 */
export const PAUSE_FACTOR = 20;
/** The longest such pause after a change of content. */
const MAX_PAUSE_MS = 300_000;

/** The next midnight in UTC. */
export const startOfTomorrow = (now: number): number => now - (now % DAY_MS) + DAY_MS;

/** The seconds until midnight in UTC, rounded up. */
export const secondsUntilTomorrow = (now: number): number =>
  Math.ceil((startOfTomorrow(now) - now) / 1000);

export const dayOf = (now: number): string => new Date(now).toISOString().slice(0, 10);

/**
 * SQL: whether the counters of `day` are valid for `today`. Those of the next day are valid too, since the clock of
 * another process may be ahead. Those of a later day are not: they were stored before a clock was set back.
 */
const isCurrent = (day: Sql, today: Sql): Sql => sql`${day} BETWEEN ${today} AND ${today} + 1`;

/** SQL for the value of a counter on the day `today`: 0 if the row is of another day. */
const ofToday = (counter: 'mails' | 'model_tokens', today: string) =>
  sql`(CASE WHEN ${isCurrent(sql`day`, sql`${today}::date`)} THEN ${raw(counter)} ELSE 0 END)::float8`;

/** SQL for the usage. Storage is the measured size plus the bytes that were accepted since. */
const usageColumns = (today: string) => sql`
  (measured_bytes + accepted_bytes)::float8 AS storage,
  ${ofToday('mails', today)} AS mails,
  ${ofToday('model_tokens', today)} AS "model-tokens"`;

export const NO_USAGE: Usage = { storage: 0, mails: 0, 'model-tokens': 0 };

export async function readUsage(
  db: Queryable,
  tenantId: string,
  now: number,
): Promise<Usage & { isMeasurementScheduled: boolean }> {
  const [row] = await db.query<Usage & { isMeasurementScheduled: boolean }>(sql`
    SELECT ${usageColumns(dayOf(now))}, measure_due_at IS NOT NULL AS "isMeasurementScheduled"
    FROM quota_usages WHERE tenant_id = ${tenantId}`);
  return row ?? { ...NO_USAGE, isMeasurementScheduled: false };
}

/**
 * Adds to the usage of a key. The first measurement of the storage is due at once, a later one after
 * `measureWithinMs` and the pause, unless it is already due earlier.
 *
 * @param mailLimit nothing is added if this number of emails has been counted today
 * @returns the usage; undefined when the limit was reached
 */
export async function addUsage(
  db: Queryable,
  tenantId: string,
  now: number,
  { bytes = 0, mails = 0, modelTokens = 0, measureWithinMs }: UsageIncrease,
  mailLimit: number | null = null,
): Promise<Usage | undefined> {
  const today = dayOf(now);
  const dueAt = measureWithinMs === undefined ? null : new Date(now + measureWithinMs);
  const firstDueAt = dueAt === null ? null : new Date(now);
  // Null if nothing has to be measured. `LEAST(used.measure_due_at, …)` below then keeps the stored time.
  const laterDueAt = sql`${dueAt}::timestamptz
    + LEAST(${PAUSE_FACTOR}::int * used.measure_ms, ${MAX_PAUSE_MS}::int) * interval '1 millisecond'`;
  const isCounting = isCurrent(sql`used.day`, sql`excluded.day`);
  const isBelowLimit = sql`(${mailLimit}::bigint IS NULL OR NOT ${isCounting}
    OR used.mails + excluded.mails <= ${mailLimit}::bigint)`;
  const [row] = await db.query<Usage>(sql`
    INSERT INTO quota_usages AS used
      (tenant_id, accepted_bytes, day, mails, model_tokens, measure_due_at)
    VALUES (${tenantId}, ${bytes}, ${today}::date, ${mails}, ${modelTokens}, ${firstDueAt})
    ON CONFLICT (tenant_id) DO UPDATE SET
      accepted_bytes = GREATEST(0, used.accepted_bytes + excluded.accepted_bytes),
      mails = CASE WHEN ${isCounting} THEN used.mails ELSE 0 END + excluded.mails,
      model_tokens = CASE WHEN ${isCounting} THEN used.model_tokens ELSE 0 END
        + excluded.model_tokens,
      day = CASE WHEN ${isCounting} THEN used.day ELSE excluded.day END,
      measure_due_at = CASE WHEN used.measure_due_at IS NULL THEN excluded.measure_due_at
        ELSE LEAST(used.measure_due_at, ${laterDueAt}) END
    WHERE ${isBelowLimit}
    RETURNING ${usageColumns(today)}`);
  return row;
}

/** Takes back the count of an email that could not be sent. */
export async function giveBackMail(db: Queryable, tenantId: string, now: number): Promise<void> {
  await db.query(sql`
    UPDATE quota_usages SET mails = GREATEST(0, mails - 1)
    WHERE tenant_id = ${tenantId} AND day = ${dayOf(now)}::date`);
}
