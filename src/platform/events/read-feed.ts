import { type Database, empty, sql } from '../database/database.ts';
import type { FeedEvent } from './sequencer.ts';

/** The most events that one statement passes. */
const BATCH = 1_000;
/** The last place of the log. */
export const END = 2n ** 63n - 1n;

/** Events that follow each other in the log, or those among them that were asked for. */
export interface Stretch {
  events: FeedEvent[];
  /** The log was read up to here. Undefined: nothing is there. */
  through: bigint | undefined;
  /** Whether the log may go on. */
  isMore: boolean;
}

/** How far a statement has read, with an event that was asked for; null where there is none. */
type Row = (FeedEvent | Record<keyof FeedEvent, null>) & { through: string | null; passed: number };

interface Range {
  after: bigint;
  upTo?: bigint;
  /** The tenants whose events are asked for. Default: all. */
  tenantIds?: string[] | undefined;
}

/**
 * Reads what follows in the log. One statement passes a bounded number of events, whoever's they are, so
 * that its cost is bounded where most are of others; the index by tenant would be searched once for each
 * tenant instead.
 */
export async function readFeed(db: Database, { after, upTo = END, tenantIds }: Range) {
  const rows = await db.query<Row>(sql`
    WITH next AS MATERIALIZED (
      SELECT sequence, tenant_id, type, organization_id, document_id
      FROM events /* all tenants, background */
      WHERE sequence > ${String(after)}::bigint AND sequence <= ${String(upTo)}::bigint
      ORDER BY sequence LIMIT ${BATCH}
    )
    SELECT through::text, passed, wanted.*
    FROM (SELECT max(sequence) AS through, count(*)::int AS passed FROM next) AS log
    LEFT JOIN (
      SELECT sequence::text, tenant_id AS "tenantId", type, organization_id AS "organizationId",
             document_id AS "documentId"
      FROM next ${tenantIds ? sql`WHERE tenant_id = ANY(${tenantIds})` : empty}
    ) AS wanted ON true
    ORDER BY wanted.sequence::bigint`);
  const [{ through = null, passed = 0 } = {}] = rows;
  return {
    events: rows.flatMap((row) => (row.sequence === null ? [] : row)),
    through: through === null ? undefined : BigInt(through),
    isMore: passed === BATCH,
  };
}
