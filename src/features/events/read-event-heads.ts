import { type Queryable, sql } from '../../platform/database/database.ts';
import type { Topic } from '../../platform/live-bus/topic.ts';

/** An event without its data, which may be a whole document. */
export interface EventHead {
  sequence: string;
  id: string;
  type: string;
  channels: string[];
  createdAt: Date;
}

/**
 * The most events of a tenant that one call reads. No index finds the events of a document, so the log is
 * read in parts.
 */
const MAX_SCANNED = 5_000;

/** Returns the last of the `MAX_SCANNED` events after a position; undefined if there are fewer. */
export async function findEndOfNextPart(
  db: Queryable,
  tenantId: string,
  after: bigint,
): Promise<{ position: bigint; eventId: string } | undefined> {
  const [row] = await db.query<{ sequence: string; id: string }>(sql`
    SELECT sequence::text, id FROM events
    WHERE tenant_id = ${tenantId} AND sequence > ${String(after)}::bigint
    ORDER BY events.sequence OFFSET ${MAX_SCANNED - 1} LIMIT 1`);
  return row && { position: BigInt(row.sequence), eventId: row.id };
}

/** Reads a document's events after one position in the log and up to another, oldest first. */
export const readEventHeads = (
  db: Queryable,
  { tenantId, organizationId, documentId, types }: Topic & { documentId: string },
  { after, upTo, limit }: { after: bigint; upTo: bigint; limit: number },
): Promise<EventHead[]> =>
  db.query<EventHead>(sql`
    SELECT sequence::text, id, type, channels, created_at AS "createdAt" FROM events
    WHERE tenant_id = ${tenantId} AND sequence > ${String(after)}::bigint
      AND sequence <= ${String(upTo)}::bigint AND organization_id = ${organizationId}
      AND document_id = ${documentId} AND type = ANY(${types})
    ORDER BY events.sequence LIMIT ${limit}`);
