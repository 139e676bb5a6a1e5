import type { Services } from '../../api/context.ts';
import { type Queryable, sql, type Transaction } from '../../platform/database/database.ts';
import { retryOnViolation } from '../../platform/database/lost-races.ts';
import { sweepRows } from '../../platform/database/sweep-rows.ts';
import { MailError } from '../../platform/mail/mail.ts';
import { type BacklogQueue, MAX_COUNTED } from '../../platform/processes/backlog.ts';

/** A mail to one user about one event. */
export interface MailKey {
  tenantId: string;
  sequence: string;
  userId: string;
}

/** Queues mails with one statement, each only once. */
export async function queueMails(tx: Transaction, mails: MailKey[], now: number): Promise<void> {
  if (mails.length === 0) return;
  const writing = tx.query(sql`
    INSERT INTO mails (tenant_id, event_sequence, user_id, due_at)
    SELECT tenant_id, event_sequence, user_id, ${new Date(now)}
    FROM unnest(${mails.map((mail) => mail.tenantId)}::text[],
                ${mails.map((mail) => mail.sequence)}::bigint[],
                ${mails.map((mail) => mail.userId)}::text[])
      AS mail(tenant_id, event_sequence, user_id)
    ORDER BY tenant_id, user_id
    ON CONFLICT DO NOTHING`);
  await retryOnViolation(writing, ['mails_tenant_id_user_id_fkey']);
}

/** Mails whose time has come. */
export const mailQueue: BacklogQueue = {
  name: 'mails',
  rows: (now) => sql`
    SELECT count(*)::int AS waiting, min(due_at) AS since FROM (
      SELECT due_at FROM mails WHERE state = 'waiting' AND due_at <= ${now}
      ORDER BY due_at LIMIT ${MAX_COUNTED}) AS counted`,
};

/** A mail that this process has leased to send. */
export interface ClaimedMail extends MailKey {
  /** Counts from 1. */
  attempt: number;
}

export type ServiceType = 'default' | 'external';

interface Claim {
  service: ServiceType;
  /** How many, and how many of one tenant, less those of it that are being sent. */
  limit: number;
  limitOfTenant: number;
  /** The tenant of each mail that is being sent. */
  sending: string[];
  /** Takes mails that are due at this time, in epoch milliseconds. */
  now: number;
  /** When other workers may take them again, in epoch milliseconds. */
  leasedUntil: number;
}

/**
 * Claims due mails, the oldest first, with a limit per tenant so that no tenant starves the others.
 * Mails that another process is claiming are skipped.
 */
export function claimMails(db: Queryable, claim: Claim): Promise<ClaimedMail[]> {
  const now = new Date(claim.now);
  return db.query<ClaimedMail>(sql`
    WITH RECURSIVE waiting(tenant_id) AS (
      (SELECT tenant_id FROM mails /* all tenants, background */
       WHERE state = 'waiting' ORDER BY tenant_id LIMIT 1)
      UNION ALL
      SELECT (SELECT mails.tenant_id FROM mails
              WHERE mails.state = 'waiting' AND mails.tenant_id > waiting.tenant_id
              ORDER BY mails.tenant_id LIMIT 1)
      FROM waiting WHERE waiting.tenant_id IS NOT NULL
    ), due AS (
      SELECT oldest.* FROM waiting
      JOIN service_settings s ON s.tenant_id = waiting.tenant_id
        AND COALESCE(s.email_service_config->>'type', 'default') = ${claim.service}
      CROSS JOIN LATERAL (
        SELECT tenant_id, event_sequence, user_id, due_at FROM mails
        WHERE tenant_id = waiting.tenant_id AND state = 'waiting' AND due_at <= ${now}
        ORDER BY due_at LIMIT GREATEST(0, ${claim.limitOfTenant} - (
          SELECT count(*)::int FROM unnest(${claim.sending}::text[]) AS sending(tenant_id)
          WHERE sending.tenant_id = waiting.tenant_id))
      ) AS oldest
      ORDER BY due_at LIMIT ${claim.limit}
    ), free AS (
      SELECT mails.tenant_id, mails.event_sequence, mails.user_id
      FROM due JOIN mails USING (tenant_id, event_sequence, user_id)
      WHERE mails.state = 'waiting' AND mails.due_at <= ${now}
      FOR UPDATE OF mails SKIP LOCKED
    )
    UPDATE mails SET attempts = attempts + 1, due_at = ${new Date(claim.leasedUntil)}
    FROM free
    WHERE mails.tenant_id = free.tenant_id AND mails.event_sequence = free.event_sequence
      AND mails.user_id = free.user_id
    RETURNING mails.tenant_id AS "tenantId", mails.event_sequence::text AS sequence,
              mails.user_id AS "userId", mails.attempts AS attempt`);
}

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

/** The delay after each failed attempt. After one more attempt the mail is given up. */
const DELAYS_MS = [10_000, MINUTE_MS, 10 * MINUTE_MS, HOUR_MS, 6 * HOUR_MS];
/** The longest delay that a receiving server can ask for. */
const LONGEST_DELAY_MS = DAY_MS;
const KEEP_SETTLED_MS = 7 * DAY_MS;

export type MailOutcome =
  | { state: 'sent' | 'failed' | 'dropped' }
  | { state: 'waiting'; retryAfterMs: number };

/** Decides after a failure whether the mail is retried or given up. */
export function afterFailure(attempt: number, error: unknown): MailOutcome {
  const { isPermanent = false, retryAfterMs: asked = 0 } = error instanceof MailError ? error : {};
  const delayMs = DELAYS_MS[attempt - 1];
  if (isPermanent || delayMs === undefined) return { state: 'failed' };
  return { state: 'waiting', retryAfterMs: Math.min(Math.max(delayMs, asked), LONGEST_DELAY_MS) };
}

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
export const deleteSettledMails = ({ db, clock }: Pick<Services, 'clock'> & { db: Queryable }) =>
  sweepRows(db, SETTLED, new Date(clock.now()));

const SETTLED = {
  table: sql`mails`,
  key: ['tenant_id', 'event_sequence', 'user_id'],
  time: 'due_at',
  condition: sql`AND state <> 'waiting'`,
};
