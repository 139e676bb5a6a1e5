import { type Database, sql } from '../database/database.ts';

/** The most events that one statement reads. */
const BATCH = 1_000;
/** The largest possible position of the log. */
export const END_OF_LOG = 2n ** 63n - 1n;

/** An event without its data, which is enough for a subscriber to notice what has changed. */
export interface FeedEvent {
  sequence: string;
  tenantId: string;
  type: string;
  organizationId: string | null;
  documentId: string | null;
}

/** A segment of the log with all of its events. */
export interface LogSegment {
  events: FeedEvent[];
  /** The last position in the segment. */
  through: bigint;
  /** Whether more events may follow. */
  isMore: boolean;
}

/** Reads the next segment of the log, of all tenants. */
export async function readFeed(db: Database, after: bigint): Promise<LogSegment> {
  const events = await db.query<FeedEvent>(sql`
    SELECT sequence::text, tenant_id AS "tenantId", type, organization_id AS "organizationId",
           document_id AS "documentId"
    FROM events /* all tenants, background */
    WHERE sequence > ${String(after)}::bigint ORDER BY events.sequence LIMIT ${BATCH}`);
  const through = BigInt(events.at(-1)?.sequence ?? after);
  return { events, through, isMore: events.length === BATCH };
}
