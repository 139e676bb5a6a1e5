import { type Database, sql } from '../database/database.ts';
import type { FeedEvent } from './sequencer.ts';

/** The most events of all tenants that one statement passes. */
const BATCH = 1_000;
/** The last place of the log. */
export const END = 2n ** 63n - 1n;

const columns = sql`
  sequence::text, tenant_id AS "tenantId", type,
  organization_id AS "organizationId", document_id AS "documentId"`;

/** Events that follow each other in the log, or those among them that were asked for. */
export interface Stretch {
  events: FeedEvent[];
  /** The log was read up to here. Undefined: nothing is there. */
  through: bigint | undefined;
  /** Whether the log may go on. */
  isMore: boolean;
}

/** How far a statement has read, with an event that was asked for; null where there is none. */
interface Wanted {
  through: string | null;
  passed: number;
  sequence: string | null;
  tenantId: string | null;
  type: string | null;
  organizationId: string | null;
  documentId: string | null;
}

interface Range {
  after: bigint;
  upTo?: bigint;
}

/** Reads what follows in the log, of all tenants. */
export async function readAll(db: Database, after: bigint): Promise<Stretch> {
  const events = await db.query<FeedEvent>(sql`
    SELECT ${columns} FROM events /* all tenants, background */
    WHERE sequence > ${String(after)}::bigint ORDER BY events.sequence LIMIT ${BATCH}`);
  const last = events.at(-1);
  return { events, through: last && BigInt(last.sequence), isMore: events.length === BATCH };
}

/**
 * Reads what follows in the log, of some tenants. One statement passes a bounded number of events,
 * whoever's they are, so that its cost is bounded where most are of others; the index by tenant would
 * be searched once for each tenant instead.
 */
export async function readOf(
  db: Database,
  tenantIds: string[],
  { after, upTo = END }: Range,
): Promise<Stretch> {
  const rows = await db.query<Wanted>(sql`
    WITH next AS MATERIALIZED (
      SELECT sequence, tenant_id, type, organization_id, document_id
      FROM events /* all tenants, background */
      WHERE sequence > ${String(after)}::bigint AND sequence <= ${String(upTo)}::bigint
      ORDER BY sequence LIMIT ${BATCH}
    )
    SELECT through::text, passed, wanted.*
    FROM (SELECT max(sequence) AS through, count(*)::int AS passed FROM next) AS log
    LEFT JOIN (SELECT ${columns} FROM next WHERE tenant_id = ANY(${tenantIds})) AS wanted ON true
    ORDER BY wanted.sequence::bigint`);
  const [{ through = null, passed = 0 } = {}] = rows;
  return {
    events: rows.flatMap(({ sequence, tenantId, type, organizationId, documentId }) =>
      sequence === null || tenantId === null || type === null
        ? []
        : { sequence, tenantId, type, organizationId, documentId },
    ),
    through: through === null ? undefined : BigInt(through),
    isMore: passed === BATCH,
  };
}
