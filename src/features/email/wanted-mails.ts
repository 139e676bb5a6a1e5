import { type Queryable, sql } from '../../platform/database/database.ts';
import { triggerOf } from '../activity/event-triggers.ts';
import type { AnnotationEvent } from '../notifications/generate/annotation-event.ts';
import { loadRecipients, type Recipient } from '../notifications/generate/recipients.ts';
import { type Level, readLevels } from '../notifications/preferences/read-levels.ts';
import type { Triggers } from '../settings/triggers.ts';

/** A mail that somebody wants, may have, and can get. */
export interface WantedMail {
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
 * The mails about events of one tenant, as things are at this moment: to those whom an event
 * concerns, who may see it, have an address, and want mails of this kind. A constant number of
 * statements, whatever the number of events.
 */
export async function wantedMails(
  db: Queryable,
  { tenantId, triggers, events, now }: Query,
): Promise<WantedMail[]> {
  const triggered = events.filter((event) => isTriggered(triggers, event.type));
  const recipients = await loadRecipients(db, tenantId, triggered, now);
  const all = triggered.flatMap((event) =>
    (recipients.get(event.id) ?? []).map((recipient) => ({ event, recipient })),
  );
  if (all.length === 0) return [];
  const userIds = [...new Set(all.map(({ recipient }) => recipient.user.userId))];
  const addresses = await loadAddresses(db, tenantId, userIds);
  const reachable = all.flatMap((mail) => {
    const address = addresses.get(mail.recipient.user.userId);
    return address === undefined ? [] : { ...mail, address };
  });
  return wantedAmong(db, tenantId, reachable);
}

const isTriggered = (triggers: Triggers, eventType: string): boolean => {
  const { feature, trigger } = triggerOf(eventType);
  return feature === 'comment' && triggers.comment?.[trigger] === true;
};

async function loadAddresses(
  db: Queryable,
  tenantId: string,
  userIds: string[],
): Promise<Map<string, string>> {
  const rows = await db.query<{ userId: string; email: string }>(sql`
    SELECT user_id AS "userId", email FROM users
    WHERE tenant_id = ${tenantId} AND user_id = ANY(${userIds}) AND email <> ''`);
  return new Map(rows.map(({ userId, email }) => [userId, email]));
}

async function wantedAmong(
  db: Queryable,
  tenantId: string,
  mails: WantedMail[],
): Promise<WantedMail[]> {
  const told = mails.map(({ event: { organizationId, documentId }, recipient }) => ({
    organizationId,
    documentId,
    userId: recipient.user.userId,
  }));
  const levels = await readLevels(db, tenantId, 'email', told);
  return mails.filter(({ recipient }, index) => wants(levels[index] ?? 'ALL', recipient));
}

/** MINE is what is about oneself: a mention, or what one is assigned to. */
const wants = (level: Level, { reason }: Recipient): boolean =>
  level === 'ALL' || (level === 'MINE' && reason !== 'subscribed');
