import { type Database, empty, sql } from '../database/database.ts';
import type { FeedEvent } from './sequencer.ts';

/** The most events that one statement reads, of all tenants. */
const BATCH = 1_000;
/** The last position of the log. */
export const END = 2n ** 63n - 1n;

/** A stretch of the log, with all of its events or those of some tenants. */
export interface Stretch {
  events: FeedEvent[];
  /** The last position in the stretch. Undefined: the stretch is empty. */
  through: bigint | undefined;
  /** Whether more events may follow. */
  isMore: boolean;
}

/**
 * The end and length of the stretch, with one of its events; all fields of the event are null if
 * there is none.
 */
type Row = (FeedEvent | Record<keyof FeedEvent, null>) & { through: string | null; length: number };

interface Range {
  after: bigint;
  upTo?: bigint;
  /** The tenants whose events are returned. Default: all. */
  tenantIds?: string[] | undefined;
}

/**
 * Reads the next stretch of the log. The limit counts the events of all tenants, so that the cost
 * is bounded even if most events belong to other tenants. The index by tenant would have to be
 * searched once for each tenant.
 */
export async function readFeed(
  db: Database,
  { after, upTo = END, tenantIds }: Range,
): Promise<Stretch> {
  const rows = await db.query<Row>(sql`
    WITH next AS MATERIALIZED (
      SELECT sequence, tenant_id, type, organization_id, document_id
      FROM events /* all tenants, background */
      WHERE sequence > ${String(after)}::bigint AND sequence <= ${String(upTo)}::bigint
      ORDER BY sequence LIMIT ${BATCH}
    )
    SELECT through::text, length, matching.*
    FROM (SELECT max(sequence) AS through, count(*)::int AS length FROM next) AS log
    LEFT JOIN (
      SELECT sequence::text, tenant_id AS "tenantId", type, organization_id AS "organizationId",
             document_id AS "documentId"
      FROM next ${tenantIds ? sql`WHERE tenant_id = ANY(${tenantIds})` : empty}
    ) AS matching ON true
    ORDER BY matching.sequence::bigint`);
  const [{ through = null, length = 0 } = {}] = rows;
  return {
    events: rows.flatMap((row) => (row.sequence === null ? [] : row)),
    through: through === null ? undefined : BigInt(through),
    isMore: length === BATCH,
  };
}
