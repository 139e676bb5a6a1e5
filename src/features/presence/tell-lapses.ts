import { sql, type Transaction } from '../../platform/database/database.ts';
import {
  changesBetween,
  lockPresence,
  type PresenceParts,
  tellChanges,
} from './change-presence.ts';
import {
  CONNECTION_LAPSE_MS,
  disconnectedBefore,
  goneBefore,
  LAPSE_MS,
  lapsedBefore,
} from './present-presence.ts';
import { type PresencePlace, readPresence } from './read-presence.ts';

/** Documents that one sweep looks at; the next one goes on. */
const MAX_PLACES = 500;

/**
 * Tells of users who were not renewed and so became offline: one event each, whatever the number of
 * processes. Readers see them as offline by themselves; those who follow would not.
 */
export async function tellLapses(parts: PresenceParts): Promise<void> {
  const now = parts.clock.now();
  const places = await parts.db.query<PresencePlace>(sql`
    WITH died AS (
      UPDATE presence_processes SET is_dead = true
      WHERE seen_at <= ${disconnectedBefore(now)} AND NOT is_dead RETURNING id
    )
    SELECT DISTINCT tenant_id AS "tenantId", organization_id AS "organizationId",
           document_id AS "documentId"
    FROM (
      SELECT tenant_id, organization_id, document_id FROM presence /* all tenants */
      WHERE seen_at <= ${lapsedBefore(now)} AND seen_at > ${goneBefore(now)} AND NOT lapsed
      UNION ALL
      SELECT tenant_id, organization_id, document_id
      FROM presence_connections
      WHERE process_id IN (SELECT id FROM died)
         OR process_id IN (SELECT id FROM presence_processes WHERE is_dead)
    ) AS lapsing LIMIT ${MAX_PLACES}`);
  for (const place of places) await tellPlace(parts, place, now);
}

interface Lapsing {
  userId: string;
  seenAt: Date;
  lapseMs: number;
}

function tellPlace({ db, events }: PresenceParts, place: PresencePlace, now: number) {
  return db.transaction(async (tx) => {
    await lockPresence(tx, place);
    const lapsing = await findLapsing(tx, place, now);
    if (lapsing.length === 0) return;
    const userIds = lapsing.map(({ userId }) => userId);
    // When the first of them had not lapsed yet, none had of whom it was not told.
    const earliest = Math.min(...lapsing.map(({ seenAt, lapseMs }) => seenAt.getTime() + lapseMs));
    const before = await readPresence(tx, place, earliest - 1, userIds);
    await markLapsed(tx, place, now);
    const after = await readPresence(tx, place, now, userIds);
    await tellChanges(events, tx, place, changesBetween(before, after));
  });
}

const here = ({ tenantId, organizationId, documentId }: PresencePlace) => sql`
  tenant_id = ${tenantId} AND organization_id = ${organizationId} AND document_id = ${documentId}`;

const findLapsing = (tx: Transaction, place: PresencePlace, now: number): Promise<Lapsing[]> =>
  tx.query<Lapsing>(sql`
    SELECT user_id AS "userId", seen_at AS "seenAt", ${LAPSE_MS}::int AS "lapseMs" FROM presence
    WHERE ${here(place)} AND seen_at <= ${lapsedBefore(now)} AND seen_at > ${goneBefore(now)}
      AND NOT lapsed
    UNION ALL
    SELECT user_id, process.seen_at, ${CONNECTION_LAPSE_MS}::int
    FROM presence_connections JOIN presence_processes process ON process.id = process_id
    WHERE ${here(place)} AND process.is_dead`);

async function markLapsed(tx: Transaction, place: PresencePlace, now: number): Promise<void> {
  await tx.query(sql`
    UPDATE presence SET lapsed = true
    WHERE ${here(place)} AND seen_at <= ${lapsedBefore(now)} AND NOT lapsed`);
  await tx.query(sql`
    DELETE FROM presence_connections
    WHERE ${here(place)} AND process_id IN (SELECT id FROM presence_processes WHERE is_dead)`);
}
