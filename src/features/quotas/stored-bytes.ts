import { identifier } from '../../platform/database/columns.ts';
import { empty, join, type Queryable, raw, sql } from '../../platform/database/database.ts';

/** The tables that count as stored content: data from callers, and data derived from it. */
export const COUNTED_TABLES = [
  'organizations',
  'folders',
  'documents',
  'users',
  'user_groups',
  'user_group_members',
  'crdt_documents',
  'crdt_updates',
  'crdt_versions',
  'comment_annotations',
  'comments',
  'comment_reactions',
  'recordings',
  'attachments',
  'notifications',
  'notification_recipients',
  'activities',
  'memory_judgments',
  'memory_alerts',
] as const;

/** The most rows that one statement reads, so that no statement takes long. */
const BATCH_ROWS = 20_000;

interface CountedTable {
  name: string;
  columns: string[];
  /** The columns of the primary key after the tenant, and their types. */
  key: string[];
  types: string[];
}

/**
 * Returns the size of the tenant's files and of the values in its rows, in bytes. Long values count as
 * PostgreSQL stores them, compressed; indexes do not count. Only the sizes of values are read.
 */
export async function storedBytes(db: Queryable, tenantId: string): Promise<number> {
  let bytes = await fileBytes(db, tenantId);
  for (const table of await countedTables(db)) {
    let after: string[] | null = [];
    while (after) {
      const part: MeasuredPart = await measurePart(db, tenantId, table, after);
      bytes += part.bytes;
      after = part.count === BATCH_ROWS ? part.last : null;
    }
  }
  return bytes;
}

/** Returns the size of attached files, which are not in the database. */
async function fileBytes(db: Queryable, tenantId: string): Promise<number> {
  const [files] = await db.query<{ bytes: number }>(sql`
    SELECT COALESCE(sum(size), 0)::float8 AS bytes FROM attachments WHERE tenant_id = ${tenantId}`);
  return files?.bytes ?? 0;
}

/** The number and the size of the next rows of a table, in the order of the primary key. */
interface MeasuredPart {
  count: number;
  bytes: number;
  /** The key of the last row; null when no row was found. */
  last: string[] | null;
}

async function measurePart(
  db: Queryable,
  tenantId: string,
  { name, columns, key, types }: CountedTable,
  after: string[],
): Promise<MeasuredPart> {
  const keys = join(key.map((column) => identifier(column)));
  const values = types.map((type, index) => sql`${after[index]}::${raw(type)}`);
  const beyond = after.length > 0 ? sql`AND (${keys}) > (${join(values)})` : empty;
  const sizes = columns.map((column) => sql`COALESCE(pg_column_size(${identifier(column)}), 0)`);
  const texts = join(key.map((column) => sql`${identifier(column)}::text`));
  const [part] = await db.query<MeasuredPart>(sql`
    WITH part AS (
      SELECT ${join(sizes, ' + ')} AS size, ARRAY[${texts}] AS key,
        row_number() OVER (ORDER BY ${keys}) AS number
      FROM ${identifier(name)}
      WHERE tenant_id = ${tenantId} ${beyond}
      ORDER BY ${keys} LIMIT ${BATCH_ROWS}
    )
    SELECT count(*)::int AS count, COALESCE(sum(size), 0)::float8 AS bytes,
      (SELECT key FROM part ORDER BY number DESC LIMIT 1) AS last
    FROM part`);
  return part ?? { count: 0, bytes: 0, last: null };
}

/** Reads the columns from the catalog, so that new columns are counted without a change here. */
const countedTables = (db: Queryable): Promise<CountedTable[]> =>
  db.query<CountedTable>(sql`
    SELECT c.relname AS name,
      (SELECT array_agg(a.attname::text ORDER BY a.attnum) FROM pg_attribute a
       WHERE a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped) AS columns,
      (SELECT array_agg(a.attname::text ORDER BY k.at)
       FROM unnest(i.indkey::int2[]) WITH ORDINALITY AS k(attnum, at)
       JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum = k.attnum
       WHERE a.attname <> 'tenant_id') AS key,
      (SELECT array_agg(format_type(a.atttypid, a.atttypmod) ORDER BY k.at)
       FROM unnest(i.indkey::int2[]) WITH ORDINALITY AS k(attnum, at)
       JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum = k.attnum
       WHERE a.attname <> 'tenant_id') AS types
    FROM pg_class c JOIN pg_index i ON i.indrelid = c.oid AND i.indisprimary
    WHERE c.relnamespace = current_schema()::regnamespace
      AND c.relname = ANY(${[...COUNTED_TABLES]})`);
