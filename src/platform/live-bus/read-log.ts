import { empty, type Queryable, sql } from '../database/database.ts';
import { loggedColumns, sequencesOfPage } from '../events/logged-events.ts';
import type { LiveEvent, Topic } from './topic.ts';

/** A position in the log, and the event there; `eventId` is undefined while the log is empty. */
export interface LogPosition {
  position: bigint;
  eventId: string | undefined;
}

interface Row extends Omit<LiveEvent, 'position'> {
  sequence: string;
}

const columns = sql`${loggedColumns()}, octet_length(data::text) AS size`;

const toLiveEvent = (row: Row): LiveEvent => ({ ...row, position: BigInt(row.sequence) });

/** The events with these sequence numbers, of any tenant, oldest first. */
export async function readEvents(db: Queryable, sequences: string[]): Promise<LiveEvent[]> {
  if (sequences.length === 0) return [];
  const rows = await db.query<Row>(sql`
    SELECT ${columns} FROM events /* all tenants, background */
    WHERE sequence = ANY(${sequences}::bigint[]) ORDER BY events.sequence`);
  return rows.map(toLiveEvent);
}

/** Each subscriber that has fallen behind reads pages of its own, so a page ends once it has this size. */
const MAX_PAGE_BYTES = 2 * 1024 * 1024;

/**
 * A page of a topic's events after a position and up to another one, oldest first. It may have fewer events than
 * `limit` although more follow.
 */
export async function readTopic(
  db: Queryable,
  { tenantId, organizationId, documentId, types }: Topic,
  { after, upTo, limit }: { after: bigint; upTo: bigint; limit: number },
): Promise<LiveEvent[]> {
  const onDocument = documentId === undefined ? empty : sql`AND document_id = ${documentId}`;
  const condition = sql`
    tenant_id = ${tenantId} AND sequence <= ${String(upTo)}::bigint
    AND organization_id = ${organizationId} ${onDocument} AND type = ANY(${types})`;
  const page = { after: String(after), limit, maxBytes: MAX_PAGE_BYTES };
  const rows = await db.query<Row>(sql`
    SELECT ${columns} FROM events
    WHERE tenant_id = ${tenantId} AND sequence = ANY(${sequencesOfPage(condition, page)})
    ORDER BY events.sequence`);
  return rows.map(toLiveEvent);
}

/**
 * Whether the document of a topic was deleted between two positions of the log. If so, a reader must not
 * continue: a later document with the same id is another one. The type is a constant in the statement,
 * which can then use the partial index events_document_deletions.
 */
export async function wasDeleted(
  db: Queryable,
  { tenantId, organizationId, documentId }: Omit<Topic, 'types'>,
  { after, upTo }: { after: bigint; upTo: bigint },
): Promise<boolean> {
  if (documentId === undefined) return false;
  const rows = await db.query(sql`
    SELECT 1 FROM events
    WHERE tenant_id = ${tenantId} AND organization_id = ${organizationId}
      AND document_id = ${documentId} AND type = 'document.delete'
      AND sequence > ${String(after)}::bigint AND sequence <= ${String(upTo)}::bigint
    LIMIT 1`);
  return rows.length > 0;
}

/** The last position of a tenant's log. */
export async function endOfLog(db: Queryable, tenantId: string): Promise<LogPosition> {
  const [row] = await db.query<{ sequence: string; id: string }>(sql`
    SELECT sequence::text, id FROM events WHERE tenant_id = ${tenantId}
    ORDER BY events.sequence DESC LIMIT 1`);
  return { position: BigInt(row?.sequence ?? 0), eventId: row?.id };
}

/** The position of an event; undefined if the event is no longer stored. */
export async function positionOf(
  db: Queryable,
  tenantId: string,
  eventId: string,
): Promise<LogPosition | undefined> {
  const [row] = await db.query<{ sequence: string }>(sql`
    SELECT sequence::text FROM events WHERE tenant_id = ${tenantId} AND id = ${eventId}`);
  return row && { position: BigInt(row.sequence), eventId };
}
