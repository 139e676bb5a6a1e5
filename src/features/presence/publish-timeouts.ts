import type { Services } from '../../api/context.ts';
import {
  type Queryable,
  type Sql,
  sql,
  type Transaction,
} from '../../platform/database/database.ts';
import { deleteExpiredRows } from '../../platform/database/delete-expired-rows.ts';
import { pipeline } from '../../platform/database/pipeline.ts';
import { attemptAll } from '../../platform/loops/attempt-all.ts';
import {
  lockPresence,
  type PresenceDependencies,
  queueWritesAndEvents,
} from './change-presence.ts';
import {
  CONNECTION_TIMEOUT_MS,
  disconnectedBefore,
  expiredBefore,
  inPlace,
  type PresencePlace,
  TIMEOUT_MS,
  timedOutBefore,
} from './read-presence.ts';

/** The most documents that one run handles. The next run continues. */
const MAX_PLACES = 500;

/**
 * Publishes `presence.update` for each user whose presence was not renewed in time: once, even if several
 * processes run this. Reads compute `offline` from the time, but subscribers need the event. An entry
 * whose event was published has `lapsed` set.
 *
 * A process that was not renewed in time is dead for good, and its connections time out. The statement uses
 * `died` as well as `is_dead`, since it does not see its own changes to `is_dead`.
 */
export async function publishTimeouts(deps: PresenceDependencies): Promise<void> {
  const now = deps.clock.now();
  const places = await deps.db.query<PresencePlace>(sql`
    WITH died AS (
      UPDATE presence_processes SET is_dead = true
      WHERE seen_at <= ${disconnectedBefore(now)} AND NOT is_dead RETURNING id
    )
    SELECT DISTINCT tenant_id AS "tenantId", organization_id AS "organizationId",
           document_id AS "documentId"
    FROM (
      SELECT tenant_id, organization_id, document_id FROM presence /* all tenants, background */
      WHERE seen_at <= ${timedOutBefore(now)} AND seen_at > ${expiredBefore(now)} AND NOT lapsed
      UNION ALL
      SELECT tenant_id, organization_id, document_id
      FROM presence_connections
      WHERE process_id IN (SELECT id FROM died)
         OR process_id IN (SELECT id FROM presence_processes WHERE is_dead)
    ) AS timed_out LIMIT ${MAX_PLACES}`);
  await attemptAll(places, (place) => publishTimeoutsIn(deps, place, now));
}

interface TimedOut {
  userId: string;
  seenAt: Date;
  timeoutMs: number;
}

function publishTimeoutsIn(
  { db, events }: PresenceDependencies,
  place: PresencePlace,
  now: number,
) {
  return db.transaction(async (tx) => {
    const [, timedOut] = await pipeline([
      tx.query(lockPresence(place)),
      findTimedOut(tx, place, now),
    ]);
    if (timedOut.length === 0) return;
    const userIds = timedOut.map(({ userId }) => userId);
    // Subscribers know the presence just before the earliest of these timeouts.
    const earliest = Math.min(
      ...timedOut.map(({ seenAt, timeoutMs }) => seenAt.getTime() + timeoutMs),
    );
    const writing = { place, userIds, comparedWith: earliest - 1, now };
    queueWritesAndEvents(events, tx, writing, markTimeoutsPublished(place, now));
  });
}

const findTimedOut = (tx: Transaction, place: PresencePlace, now: number): Promise<TimedOut[]> =>
  tx.query<TimedOut>(sql`
    SELECT user_id AS "userId", seen_at AS "seenAt", ${TIMEOUT_MS}::int AS "timeoutMs" FROM presence
    WHERE ${inPlace(place)} AND seen_at <= ${timedOutBefore(now)} AND seen_at > ${expiredBefore(now)}
      AND NOT lapsed
    UNION ALL
    SELECT user_id, process.seen_at, ${CONNECTION_TIMEOUT_MS}::int
    FROM presence_connections JOIN presence_processes process ON process.id = process_id
    WHERE ${inPlace(place)} AND process.is_dead`);

/** SQL that marks the timeouts of a document as published. */
const markTimeoutsPublished = (place: PresencePlace, now: number): Sql[] => [
  sql`
    UPDATE presence SET lapsed = true
    WHERE ${inPlace(place)} AND seen_at <= ${timedOutBefore(now)} AND NOT lapsed`,
  sql`
    DELETE FROM presence_connections
    WHERE ${inPlace(place)} AND process_id IN (SELECT id FROM presence_processes WHERE is_dead)`,
];

const EXPIRING_TABLE = {
  table: sql`presence`,
  key: ['tenant_id', 'organization_id', 'document_id', 'user_id'],
  time: 'seen_at',
};

/** Deletes expired entries, which are no longer shown, and dead processes without connections. */
export async function deleteExpiredPresence({
  db,
  clock,
}: Pick<Services, 'clock'> & { db: Queryable }): Promise<void> {
  await deleteExpiredRows(db, EXPIRING_TABLE, expiredBefore(clock.now()));
  await db.query(sql`
    DELETE FROM presence_processes process WHERE is_dead AND NOT EXISTS (
      SELECT 1 FROM presence_connections /* all tenants, background */ WHERE process_id = process.id)`);
}
