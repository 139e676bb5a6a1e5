import type { Services } from '../../api/context.ts';
import { type Queryable, sql } from '../../platform/database/database.ts';
import type { ClaimedMail } from './claim-mails.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

/** The delay after each failed attempt. After one more attempt the mail is given up. */
const DELAYS_MS = [10_000, MINUTE_MS, 10 * MINUTE_MS, HOUR_MS, 6 * HOUR_MS];
/** The longest delay that a receiving server can ask for. */
const LONGEST_DELAY_MS = DAY_MS;
const KEEP_SETTLED_MS = 7 * DAY_MS;
/** A statement deletes few rows, so that none takes long; each run executes at most this many. */
const STEP = 1_000;
const STEPS = 50;

export type MailOutcome =
  | { state: 'sent' | 'failed' | 'dropped' }
  | { state: 'waiting'; retryAfterMs: number };

/** Decides after a temporary failure whether the mail is retried or given up. */
export const afterFailure = (attempt: number, askedToWaitMs: number): MailOutcome => {
  const delayMs = DELAYS_MS[attempt - 1];
  if (delayMs === undefined) return { state: 'failed' };
  const retryAfterMs = Math.min(Math.max(delayMs, askedToWaitMs), LONGEST_DELAY_MS);
  return { state: 'waiting', retryAfterMs };
};

/** Stores the outcome of an attempt, unless its lease expired and another attempt has begun. */
export async function settleMail(
  db: Queryable,
  { tenantId, sequence, userId, attempt }: ClaimedMail,
  outcome: MailOutcome,
  now: number,
): Promise<void> {
  const waitMs = outcome.state === 'waiting' ? outcome.retryAfterMs : KEEP_SETTLED_MS;
  await db.query(sql`
    UPDATE mails SET state = ${outcome.state}, due_at = ${new Date(now + waitMs)}
    WHERE tenant_id = ${tenantId} AND event_sequence = ${sequence}::bigint
      AND user_id = ${userId} AND attempts = ${attempt} AND state = 'waiting'`);
}

/** Removes mails that were settled long enough ago. */
export async function deleteSettledMails({
  db,
  clock,
}: Pick<Services, 'clock'> & { db: Queryable }): Promise<void> {
  for (let step = 0; step < STEPS; step++) {
    if ((await removeStep(db, new Date(clock.now()))) < STEP) return;
  }
}

/**
 * The bounds of `due_at` keep the deletion to what was picked: with the keys alone, PostgreSQL may
 * read the whole table to find them.
 */
async function removeStep(db: Queryable, before: Date): Promise<number> {
  const removed = await db.query(sql`
    WITH settled AS MATERIALIZED (
      SELECT tenant_id, event_sequence, user_id, due_at FROM mails /* all tenants, background */
      WHERE due_at <= ${before} AND state <> 'waiting'
      ORDER BY due_at LIMIT ${STEP} FOR UPDATE SKIP LOCKED
    )
    DELETE FROM mails USING settled
    WHERE mails.tenant_id = settled.tenant_id AND mails.event_sequence = settled.event_sequence
      AND mails.user_id = settled.user_id
      AND mails.due_at BETWEEN (SELECT min(due_at) FROM settled) AND (SELECT max(due_at) FROM settled)
    RETURNING 1`);
  return removed.length;
}
