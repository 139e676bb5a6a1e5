import { type Queryable, sql } from '../../platform/database/database.ts';
import type { MailKey } from './queue-mails.ts';

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
  sending: Map<string, number>;
  /** Epoch milliseconds: what is due then, and when others may take it again. */
  now: number;
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
      LEFT JOIN unnest(${[...claim.sending.keys()]}::text[], ${[...claim.sending.values()]}::int[])
        AS sending(tenant_id, number) ON sending.tenant_id = waiting.tenant_id
      CROSS JOIN LATERAL (
        SELECT tenant_id, event_sequence, user_id, due_at FROM mails
        WHERE tenant_id = waiting.tenant_id AND state = 'waiting' AND due_at <= ${now}
        ORDER BY due_at LIMIT GREATEST(0, ${claim.limitOfTenant} - COALESCE(sending.number, 0))
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
