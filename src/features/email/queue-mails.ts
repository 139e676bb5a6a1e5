import { sql, type Transaction } from '../../platform/database/database.ts';
import { retryOnViolation } from '../../platform/database/lost-races.ts';
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
