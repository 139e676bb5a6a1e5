import { loadPeople } from '../../features/users/known-people.ts';
import type { Database } from '../../platform/database/database.ts';
import type { FeedEvent } from '../../platform/events/event-feed.ts';
import type { DocumentStore } from '../documents/document-store.ts';
import { connectionsToAll, type Session } from '../live-connection.ts';

interface Dependencies {
  db: Database;
  store: DocumentStore;
}

const PROFILE_EVENTS = new Set(['user.add', 'user.update']);

/** Reloads the profiles of connected users after changes, with one statement for each tenant. */
export async function reloadChangedPeople(
  { db, store }: Dependencies,
  events: FeedEvent[],
): Promise<void> {
  const changed = events.filter(({ type }) => PROFILE_EVENTS.has(type));
  for (const tenantId of new Set(changed.map((event) => event.tenantId))) {
    const documents = [...store.all].filter(({ name }) => name.tenantId === tenantId);
    const sessions = connectionsToAll(documents).map(({ session }) => session);
    await reloadPeople(db, tenantId, sessions);
  }
}

/** Replaces the profiles of these sessions with the stored ones. */
export async function reloadPeople(db: Database, tenantId: string, sessions: readonly Session[]) {
  const userIds = [...new Set(sessions.map(({ userId }) => userId))];
  if (userIds.length === 0) return;
  const people = await loadPeople(db, tenantId, userIds);
  for (const session of sessions) session.person = people.get(session.userId) ?? session.person;
}
