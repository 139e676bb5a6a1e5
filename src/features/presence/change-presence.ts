import type { Services } from '../../api/context.ts';
import { type Sql, sql, type Transaction } from '../../platform/database/database.ts';
import type { NewEvent } from '../../platform/events/event-log.ts';
import { type PresencePlace, readPresence } from './read-presence.ts';
import type { PresentedPresence } from './schema.ts';

/** The parts of a context that changing presence needs. Requests and realtime both have them. */
export type PresenceParts = Pick<Services, 'db' | 'events' | 'clock'>;

/** Keeps the locks of presence apart from other advisory locks. */
const LOCK_SPACE = 7_241_996;

/**
 * Writes the presence of users in one document, and publishes an event for each user whose presence
 * looks different afterwards. A renewal alone publishes none. Each document has one writer at a time,
 * so that the last event of a user agrees with what reads return.
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
    await publishChanges(events, tx, place, changesBetween(before, after));
  });
}

/** Appends one event for each change. */
export async function publishChanges(
  events: PresenceParts['events'],
  tx: Transaction,
  place: PresencePlace,
  changes: Change[],
): Promise<void> {
  if (changes.length === 0) return;
  const channels = await channelsOf(tx, place);
  const updates = changes.values().map((change) => presenceEvent(place, channels, change));
  await events.append(tx, place.tenantId, updates);
}

/** Taken by every transaction that writes the presence of a document. */
export async function lockPresence(tx: Transaction, place: PresencePlace): Promise<void> {
  const { tenantId, organizationId, documentId } = place;
  const name = JSON.stringify([tenantId, organizationId, documentId]);
  await tx.query(sql`SELECT pg_advisory_xact_lock(${LOCK_SPACE}, hashtext(${name}))`);
}

interface Change {
  user: PresentedPresence;
  previous: PresentedPresence | undefined;
}

/** A user who is missing afterwards has become `offline`. */
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

/** The channels of every presence event in a document. */
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
