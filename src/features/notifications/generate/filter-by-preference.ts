import type { Queryable } from '../../../platform/database/database.ts';
import { loadLevels } from '../preferences/load-levels.ts';
import type { AnnotationEvent } from './annotation-event.ts';
import type { Recipient } from './recipients.ts';

/** An event, and those who are told of it. */
export interface EventRecipients {
  event: AnnotationEvent;
  recipients: Recipient[];
}

/**
 * Leaves those who want to hear of it on this way (`notifications/config`). ALL: everything that one
 * takes part in or follows. MINE: where one is mentioned or assigned, or wrote in the thread.
 */
export async function filterByPreference(
  db: Queryable,
  tenantId: string,
  told: EventRecipients[],
  way: 'inbox' | 'email' = 'inbox',
): Promise<EventRecipients[]> {
  const asked = told.flatMap(({ event: { organizationId, documentId }, recipients }) =>
    recipients.map(({ user: { userId } }) => ({ organizationId, documentId, userId })),
  );
  if (asked.length === 0) return [];
  const levels = await loadLevels(db, tenantId, asked);
  return told.map(({ event, recipients }) => {
    const { organizationId, documentId } = event;
    const authors = authorsOf(event);
    const wants = ({ user: { userId }, reason }: Recipient): boolean => {
      const level = levels.of({ organizationId, documentId, userId })[way];
      return (
        level === 'ALL' || (level === 'MINE' && (reason !== 'subscribed' || authors.has(userId)))
      );
    };
    return { event, recipients: recipients.filter(wants) };
  });
}

const authorsOf = ({ data: { from, comments } }: AnnotationEvent) =>
  new Set([from.userId, ...comments.map((comment) => comment.from.userId)]);
