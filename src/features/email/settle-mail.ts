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
const SWEEP_BATCH = 5_000;

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
}: Pick<Services, 'db' | 'clock'>): Promise<void> {
  await db.query(sql`
    DELETE FROM mails /* all tenants, background */
    WHERE ctid IN (SELECT ctid FROM mails
                   WHERE due_at <= ${new Date(clock.now())} AND state <> 'waiting'
                   LIMIT ${SWEEP_BATCH} FOR UPDATE SKIP LOCKED)`);
}
