import { sql, type Transaction } from '../../platform/database/database.ts';
import {
  changesBetween,
  lockPresence,
  type PresenceParts,
  publishChanges,
} from './change-presence.ts';
import {
  CONNECTION_TIMEOUT_MS,
  disconnectedBefore,
  goneBefore,
  TIMEOUT_MS,
  timedOutBefore,
} from './present-presence.ts';
import { type PresencePlace, readPresence } from './read-presence.ts';

/** The most documents that one run handles; the next run continues. */
const MAX_PLACES = 500;

/**
 * Publishes `presence.update` for each user whose presence was not renewed in time: once, whatever
 * the number of processes. Reads compute `offline` from the time; subscribers need the event.
 */
export async function publishTimeouts(parts: PresenceParts): Promise<void> {
  const now = parts.clock.now();
  const places = await parts.db.query<PresencePlace>(sql`
    WITH died AS (
      UPDATE presence_processes SET is_dead = true
      WHERE seen_at <= ${disconnectedBefore(now)} AND NOT is_dead RETURNING id
    )
    SELECT DISTINCT tenant_id AS "tenantId", organization_id AS "organizationId",
           document_id AS "documentId"
    FROM (
      SELECT tenant_id, organization_id, document_id FROM presence /* all tenants, background */
      WHERE seen_at <= ${timedOutBefore(now)} AND seen_at > ${goneBefore(now)} AND NOT lapsed
      UNION ALL
      SELECT tenant_id, organization_id, document_id
      FROM presence_connections
      WHERE process_id IN (SELECT id FROM died)
         OR process_id IN (SELECT id FROM presence_processes WHERE is_dead)
    ) AS timed_out LIMIT ${MAX_PLACES}`);
  for (const place of places) await publishTimeoutsIn(parts, place, now);
}

interface TimedOut {
  userId: string;
  seenAt: Date;
  timeoutMs: number;
}

function publishTimeoutsIn({ db, events }: PresenceParts, place: PresencePlace, now: number) {
  return db.transaction(async (tx) => {
    await lockPresence(tx, place);
    const timedOut = await findTimedOut(tx, place, now);
    if (timedOut.length === 0) return;
    const userIds = timedOut.map(({ userId }) => userId);
    // Compare with the state just before the earliest unannounced timeout.
    const earliest = Math.min(
      ...timedOut.map(({ seenAt, timeoutMs }) => seenAt.getTime() + timeoutMs),
    );
    const before = await readPresence(tx, place, earliest - 1, userIds);
    await markAnnounced(tx, place, now);
    const after = await readPresence(tx, place, now, userIds);
    await publishChanges(events, tx, place, changesBetween(before, after));
  });
}

const here = ({ tenantId, organizationId, documentId }: PresencePlace) => sql`
  tenant_id = ${tenantId} AND organization_id = ${organizationId} AND document_id = ${documentId}`;

const findTimedOut = (tx: Transaction, place: PresencePlace, now: number): Promise<TimedOut[]> =>
  tx.query<TimedOut>(sql`
    SELECT user_id AS "userId", seen_at AS "seenAt", ${TIMEOUT_MS}::int AS "timeoutMs" FROM presence
    WHERE ${here(place)} AND seen_at <= ${timedOutBefore(now)} AND seen_at > ${goneBefore(now)}
      AND NOT lapsed
    UNION ALL
    SELECT user_id, process.seen_at, ${CONNECTION_TIMEOUT_MS}::int
    FROM presence_connections JOIN presence_processes process ON process.id = process_id
    WHERE ${here(place)} AND process.is_dead`);

async function markAnnounced(tx: Transaction, place: PresencePlace, now: number): Promise<void> {
  await tx.query(sql`
    UPDATE presence SET lapsed = true
    WHERE ${here(place)} AND seen_at <= ${timedOutBefore(now)} AND NOT lapsed`);
  await tx.query(sql`
    DELETE FROM presence_connections
    WHERE ${here(place)} AND process_id IN (SELECT id FROM presence_processes WHERE is_dead)`);
}
