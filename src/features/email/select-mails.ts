import { type Queryable, sql } from '../../platform/database/database.ts';
import type { AnnotationEvent } from '../notifications/generate/annotation-event.ts';
import { filterByPreference } from '../notifications/generate/filter-by-preference.ts';
import { loadRecipients, type Recipient } from '../notifications/generate/recipients.ts';
import { shouldNotify } from '../notifications/generate/should-notify.ts';
import type { Triggers } from '../settings/triggers.ts';

/** A mail to a user who may see the event, wants mails about it and has an address. */
export interface SelectedMail {
  event: AnnotationEvent;
  recipient: Recipient;
  address: string;
}

interface Query {
  tenantId: string;
  triggers: Triggers;
  events: AnnotationEvent[];
  /** Unix seconds */
  now: number;
}

/**
 * Selects the mails about one tenant's events by the current access, preferences and addresses of
 * their audience. It takes a constant number of statements.
 */
export async function selectMails(
  db: Queryable,
  { tenantId, triggers, events, now }: Query,
): Promise<SelectedMail[]> {
  const triggered = events.filter((event) => shouldNotify({ triggers }, event));
  const recipients = await loadRecipients(db, tenantId, triggered, now);
  const notices = triggered.map((event) => ({ event, recipients: recipients.get(event.id) ?? [] }));
  const wanting = (await filterByPreference(db, tenantId, notices, 'email')).flatMap((each) =>
    each.recipients.map((recipient) => ({ event: each.event, recipient })),
  );
  const userIds = new Set(wanting.map(({ recipient }) => recipient.user.userId));
  const addresses = await loadAddresses(db, tenantId, [...userIds]);
  return wanting.flatMap((mail) => {
    const address = addresses.get(mail.recipient.user.userId);
    return address === undefined ? [] : { ...mail, address };
  });
}

/** Reads the addresses of users from their records, never from what comments say of them. */
async function loadAddresses(
  db: Queryable,
  tenantId: string,
  userIds: string[],
): Promise<Map<string, string>> {
  if (userIds.length === 0) return new Map();
  const rows = await db.query<{ userId: string; email: string }>(sql`
    SELECT user_id AS "userId", email FROM users
    WHERE tenant_id = ${tenantId} AND user_id = ANY(${userIds}) AND email <> ''`);
  return new Map(rows.map(({ userId, email }) => [userId, email]));
}
