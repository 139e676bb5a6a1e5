import type { Services } from '../../api/context.ts';
import { type Sql, sql, type Transaction } from '../../platform/database/database.ts';
import type { NewEvent } from '../../platform/events/event-log.ts';
import { type PresencePlace, readPresence } from './read-presence.ts';
import type { PresentedPresence } from './schema.ts';

/** What changing presence needs of a context: a request's, or that of the realtime side. */
export type PresenceParts = Pick<Services, 'db' | 'events' | 'clock'>;

/** Sets the locks of documents' presence apart from other locks. */
const LOCK_SPACE = 7_241_996;

/**
 * Writes the presence of users in one document, and tells of those who look different after it.
 * Renewing alone is no event. One writer at a time for each document, so that the last event of a
 * user is what readers see.
 */
export function changePresence(
  { db, events, clock }: PresenceParts,
  place: PresencePlace,
  userIds: string[],
  writes: Sql[],
): Promise<void> {
  const now = clock.now();
  return db.transaction(async (tx) => {
    await lockPresence(tx, place);
    const before = await readPresence(tx, place, now, userIds);
    for (const write of writes) await tx.query(write);
    const after = await readPresence(tx, place, now, userIds);
    await tellChanges(events, tx, place, changesBetween(before, after));
  });
}

/** Tells of users who look different: an event each. */
export async function tellChanges(
  events: PresenceParts['events'],
  tx: Transaction,
  place: PresencePlace,
  changes: Change[],
): Promise<void> {
  if (changes.length === 0) return;
  const channels = await channelsOf(tx, place);
  const told = changes.values().map((change) => presenceEvent(place, channels, change));
  await events.append(tx, place.tenantId, told);
}

/** Held by whoever writes the presence of a document. */
export async function lockPresence(tx: Transaction, place: PresencePlace): Promise<void> {
  const { tenantId, organizationId, documentId } = place;
  const name = JSON.stringify([tenantId, organizationId, documentId]);
  await tx.query(sql`SELECT pg_advisory_xact_lock(${LOCK_SPACE}, hashtext(${name}))`);
}

interface Change {
  user: PresentedPresence;
  previous: PresentedPresence | undefined;
}

/** Who has gone is shown as offline. */
export function changesBetween(before: PresentedPresence[], after: PresentedPresence[]): Change[] {
  const previousOf = new Map(before.map((user) => [user.userId, user]));
  const remaining = new Set(after.map(({ userId }) => userId));
  const gone = before.filter(({ userId }) => !remaining.has(userId));
  return [...after, ...gone.map((user) => ({ ...user, status: 'offline' }))]
    .map((user) => ({ user, previous: previousOf.get(user.userId) }))
    .filter(({ user, previous }) => !isSame(user, previous));
}

const isSame = (user: PresentedPresence, previous: PresentedPresence | undefined): boolean =>
  previous !== undefined &&
  user.status === previous.status &&
  user.name === previous.name &&
  user.email === previous.email;

/** The channels that all presence in a document has. */
async function channelsOf(
  tx: Transaction,
  { tenantId, organizationId, documentId }: PresencePlace,
): Promise<string[]> {
  const [document] = await tx.query<{ folderId: string | null }>(sql`
    SELECT folder_id AS "folderId" FROM documents
    WHERE tenant_id = ${tenantId} AND organization_id = ${organizationId}
      AND document_id = ${documentId}`);
  const folderId = document?.folderId ?? null;
  const folder = folderId === null ? [] : [`folder:${folderId}`];
  return [`organization:${organizationId}`, ...folder, `document:${documentId}`];
}

const presenceEvent = (
  { organizationId, documentId }: PresencePlace,
  channels: string[],
  { user, previous }: Change,
): NewEvent => ({
  type: 'presence.update',
  organizationId,
  documentId,
  channels: [...channels, `user:${user.userId}`],
  data: { ...user, ...(previous && { previous }) },
});
