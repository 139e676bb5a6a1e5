import type { Services } from '../../api/context.ts';
import { type Sql, sql, type Transaction } from '../../platform/database/database.ts';
import { newId } from '../../platform/ids.ts';
import { inPlace, type PresencePlace, presentIn } from './read-presence.ts';

/** The services that changing presence needs. Requests and realtime both have them. */
export type PresenceDependencies = Pick<Services, 'db' | 'events' | 'clock'>;

/** The first number of the advisory locks of presence, which no other advisory lock uses. */
const PRESENCE_LOCK = 7_241_996;

/**
 * Writes the presence of users in one document, and publishes an event for each user whose presence
 * looks different afterwards. A renewal alone publishes none. Each document has one writer at a time,
 * so that the last event of a user agrees with later reads. The transaction takes one round trip.
 */
export function changePresence(
  { db, events, clock }: PresenceDependencies,
  place: PresencePlace,
  userIds: string[],
  writes: Sql[],
): Promise<void> {
  const now = clock.now();
  return db.transaction(async (tx) => {
    tx.beforeCommit(lockPresence(place));
    queueWritesAndEvents(events, tx, { place, userIds, comparedWith: now, now }, writes);
  });
}

interface PresenceWriting {
  place: PresencePlace;
  userIds: string[];
  /** The presence after the writes is compared with the presence that users had at this time. */
  comparedWith: number;
  now: number;
}

/** Adds writes to the end of a transaction, and after them the events of users whose presence has changed. */
export function queueWritesAndEvents(
  events: PresenceDependencies['events'],
  tx: Transaction,
  { place, userIds: namedUserIds, comparedWith, now }: PresenceWriting,
  writes: Sql[],
): void {
  const userIds = [...new Set(namedUserIds)];
  tx.beforeCommit(lockRows(place, userIds));
  // Keeps the presence before the writes in a setting of the transaction, for the statement after the writes.
  tx.beforeCommit(sql`
    SELECT set_config('presence.before', COALESCE(json_agg(before), '[]')::text, true)
    FROM (${presentIn(place, comparedWith, userIds)}) AS before`);
  for (const write of writes) tx.beforeCommit(write);
  const publishing = events.insertionOf(place.tenantId, eventsOfChanges(place, userIds, now));
  tx.beforeCommit(sql`${publishing} RETURNING id`, {
    use: (published) => {
      if (published.length > 0) events.wake();
    },
  });
}

/**
 * SQL for the lock that every transaction except `changeIfAllPresent` takes before it writes the presence of
 * a document.
 */
export function lockPresence({ tenantId, organizationId, documentId }: PresencePlace): Sql {
  const name = JSON.stringify([tenantId, organizationId, documentId]);
  return sql`SELECT pg_advisory_xact_lock(${PRESENCE_LOCK}, hashtext(${name}))`;
}

/** SQL that locks the rows of the users, and thereby waits for a concurrent `changeIfAllPresent`. */
const lockRows = (place: PresencePlace, userIds: string[]) => sql`
  SELECT 1 FROM presence WHERE ${inPlace(place)} AND user_id = ANY(${userIds})
  ORDER BY user_id FOR UPDATE`;

/**
 * SQL for the events of users whose presence is no longer as in the setting `presence.before`. A user who is
 * no longer present has become `offline`.
 */
const eventsOfChanges = (place: PresencePlace, userIds: string[], now: number): Sql => sql`
  WITH before AS MATERIALIZED (
    SELECT * FROM json_to_recordset(current_setting('presence.before')::json)
      AS before(user_id text, name text, email text, status text)
  ), present AS MATERIALIZED (${presentIn(place, now, userIds)}), after AS (
    TABLE present UNION ALL
    SELECT user_id, name, email, 'offline' FROM before
    WHERE user_id NOT IN (SELECT user_id FROM present)
  )
  ${eventsOfDifference(place, userIds)}`;

/**
 * SQL for one event of each user who looks different in the relations `before` and `after`, which
 * have user_id, name, email and status.
 */
export function eventsOfDifference(place: PresencePlace, userIds: string[]): Sql {
  const { organizationId, documentId } = place;
  return sql`
    SELECT event_id AS id, 'presence.update' AS type, ${organizationId}::text AS organization_id,
      ${documentId}::text AS document_id,
      ${channelsOf(place)} || ('user:' || user_id) AS channels,
      json_strip_nulls(json_build_object('userId', user_id, 'name', after.name,
        'email', after.email, 'status', after.status,
        'previous', CASE WHEN before.status IS NOT NULL THEN json_build_object('userId', user_id,
          'name', before.name, 'email', before.email, 'status', before.status) END)) AS data
    FROM after LEFT JOIN before USING (user_id)
    JOIN unnest(${userIds}::text[], ${userIds.map(newId)}::text[])
      AS event(user_id, event_id) USING (user_id)
    WHERE (after.name, after.email, after.status)
      IS DISTINCT FROM (before.name, before.email, before.status)
    ORDER BY user_id`;
}

/** SQL for the channels that all presence events of a document have. */
const channelsOf = (place: PresencePlace): Sql => sql`
  ARRAY[${`organization:${place.organizationId}`}::text] || ARRAY(
    SELECT 'folder:' || folder_id FROM documents
    WHERE ${inPlace(place)} AND folder_id IS NOT NULL
  ) || ${`document:${place.documentId}`}::text`;
