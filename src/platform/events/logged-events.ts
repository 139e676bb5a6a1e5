import { type Queryable, type Sql, sql } from '../database/database.ts';

/** An event in the log. `sequence` grows in commit order, across all tenants. */
export interface LoggedEvent {
  tenantId: string;
  sequence: string;
  id: string;
  type: string;
  organizationId: string | null;
  documentId: string | null;
  channels: string[];
  data: unknown;
  createdAt: Date;
}

/** SQL for the columns of an event. */
export const loggedColumns = (data = sql`data`): Sql => sql`
  tenant_id AS "tenantId", sequence::text, id, type, organization_id AS "organizationId",
  document_id AS "documentId", channels, ${data} AS data, created_at AS "createdAt"`;

/**
 * SQL for the sequence numbers of the next events that meet a condition, oldest first. The event that brings the
 * page to `maxBytes` is its last one: a hundred events may take hundreds of megabytes.
 */
export const sequencesOfPage = (
  condition: Sql,
  { after, limit, maxBytes }: { after: string; limit: number; maxBytes: number },
): Sql => sql`
  ARRAY(
    SELECT sequence FROM (
      SELECT sequence, sum(octet_length(data::text)) OVER (
        ORDER BY sequence ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS bytes_before
      FROM (
        SELECT sequence, data FROM events WHERE sequence > ${after}::bigint AND ${condition}
        ORDER BY events.sequence LIMIT ${limit}) AS next
    ) AS measured
    WHERE COALESCE(bytes_before, 0) < ${maxBytes})`;

/** A page of `events/get` ends with the event that brings it to this size. */
const MAX_PAGE_BYTES = 32 * 1024 * 1024;

interface EventQuery {
  tenantId: string;
  after: string;
  types: string[] | null;
  limit: number;
}

/**
 * Reads a tenant's events after a cursor, oldest first, and returns the cursor to continue from.
 * The cursor also moves past events of types that were not asked for, so that each is read once.
 */
export async function eventsAfter(
  db: Queryable,
  query: EventQuery,
): Promise<{ events: LoggedEvent[]; cursor: string }> {
  const newest = await newestOf(db, query.tenantId, query.after);
  const condition = sql`
    tenant_id = ${query.tenantId} AND sequence <= ${newest}::bigint
    AND (${query.types}::text[] IS NULL OR type = ANY(${query.types}::text[]))`;
  const page = { after: query.after, limit: query.limit, maxBytes: MAX_PAGE_BYTES };
  // ORDER BY names the table's column: the result's column is text, which sorts 10 before 9.
  const events = await db.query<LoggedEvent & { size: number }>(sql`
    SELECT ${loggedColumns()}, octet_length(data::text) AS size FROM events
    WHERE tenant_id = ${query.tenantId} AND sequence = ANY(${sequencesOfPage(condition, page)})
    ORDER BY events.sequence`);
  const bytes = events.reduce((sum, { size }) => sum + size, 0);
  const isFull = events.length === query.limit || bytes >= MAX_PAGE_BYTES;
  const last = isFull ? events.at(-1)?.sequence : undefined;
  return { events, cursor: last ?? newest };
}

/**
 * Reads the data of all events of one type that a tenant has after a position, including committed events
 * that are not in the log yet. A single statement sees each event in exactly one of the two tables.
 */
export const dataAfter = (
  db: Queryable,
  { tenantId, type, sequence }: Pick<LoggedEvent, 'tenantId' | 'type' | 'sequence'>,
): Promise<Array<Pick<LoggedEvent, 'data'>>> =>
  db.query(sql`
    SELECT data FROM event_outbox WHERE tenant_id = ${tenantId} AND type = ${type}
    UNION ALL
    SELECT data FROM events
    WHERE tenant_id = ${tenantId} AND sequence > ${sequence}::bigint AND type = ${type}`);

/** Returns the tenant's newest sequence number, or the cursor itself if no event came after it. */
async function newestOf(db: Queryable, tenantId: string, after: string): Promise<string> {
  const [row] = await db.query<{ newest: string }>(sql`
    SELECT GREATEST(max(sequence), ${after}::bigint)::text AS newest
    FROM events WHERE tenant_id = ${tenantId}`);
  return row?.newest ?? after;
}

/** Reads the events at these positions of the log, which may be of several tenants. */
export const eventsAt = (
  db: Queryable,
  positions: Array<Pick<LoggedEvent, 'tenantId' | 'sequence'>>,
): Promise<LoggedEvent[]> =>
  db.query<LoggedEvent>(sql`
    SELECT ${loggedColumns()}
    FROM events JOIN unnest(${positions.map(({ tenantId }) => tenantId)}::text[],
                            ${positions.map(({ sequence }) => sequence)}::bigint[])
                     AS wanted(tenant_id, sequence) USING (tenant_id, sequence)
    ORDER BY events.sequence`);

/** The newest position of the log, where a reader that needs only new events starts. */
export async function newestSequence(db: Queryable): Promise<string> {
  const rows = await db.query<{ sequence: string }>(sql`
    SELECT sequence::text FROM events /* all tenants, background */ ORDER BY events.sequence DESC LIMIT 1`);
  return rows[0]?.sequence ?? '0';
}
