import type { Queryable } from '../../../platform/database/database.ts';
import { loadLevels } from '../preferences/load-levels.ts';
import type { AnnotationEvent } from './annotation-event.ts';
import type { Recipient } from './recipients.ts';

/** An event and its recipients. */
export interface EventRecipients {
  event: AnnotationEvent;
  recipients: Recipient[];
}

/**
 * Keeps the recipients whose preferences (`notifications/config`) allow this kind of event on the
 * channel. ALL allows every event; MINE those that mention or assign the user, or that happen in a
 * thread in which the user wrote.
 */
export async function filterByPreference(
  db: Queryable,
  tenantId: string,
  notified: EventRecipients[],
  channel: 'inbox' | 'email' = 'inbox',
): Promise<EventRecipients[]> {
  const users = notified.flatMap(({ event: { organizationId, documentId }, recipients }) =>
    recipients.map(({ user: { userId } }) => ({ organizationId, documentId, userId })),
  );
  if (users.length === 0) return [];
  const levels = await loadLevels(db, tenantId, users);
  return notified.map(({ event, recipients }) => {
    const { organizationId, documentId } = event;
    const authors = authorsOf(event);
    const isAllowed = ({ user: { userId }, reason }: Recipient): boolean => {
      const level = levels.of({ organizationId, documentId, userId })[channel];
      return (
        level === 'ALL' || (level === 'MINE' && (reason !== 'subscribed' || authors.has(userId)))
      );
    };
    return { event, recipients: recipients.filter(isAllowed) };
  });
}

const authorsOf = ({ data: { from, comments } }: AnnotationEvent) =>
  new Set([from.userId, ...comments.map((comment) => comment.from.userId)]);
