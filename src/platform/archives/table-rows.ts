import { identifier } from '../database/columns.ts';
import { empty, join, type Queryable, type Sql, sql } from '../database/database.ts';
import type { Snapshot } from '../database/snapshot.ts';
import { type ArchivedTable, ORGANIZATION, type Scope, TENANT } from './archived-table.ts';

/** SQL: whether a row `t` belongs to the organization; undefined if all rows of the key do. */
const organizationCondition = (
  { onlyInKeyArchives, ofOrganization = sql`t.organization_id = ${ORGANIZATION}` }: ArchivedTable,
  organizationId: string | undefined,
): Sql | undefined =>
  onlyInKeyArchives || organizationId === undefined ? undefined : ofOrganization;

const identifiers = (names: readonly string[]): Sql => join(names.map(identifier));

/** Returns the columns of a table that are put into archives. PostgreSQL lists them, so new ones are included. */
export async function archivedColumns(
  db: Queryable,
  { name, columns, omitted = [] }: ArchivedTable,
): Promise<string[]> {
  if (columns) return [...columns];
  const rows = await db.query<{ column: string }>(sql`
    SELECT attname::text AS column FROM pg_attribute
    WHERE attrelid = (${name}::text)::regclass AND attnum > 0
      AND NOT attisdropped AND attgenerated = ''
      AND attname <> 'tenant_id' AND attname <> ALL(${[...omitted]})
    ORDER BY attnum`);
  return rows.map(({ column }) => column);
}

/** Reads the rows of a scope as lines of JSON. The snapshot must know the scope (`setScope`). */
export const readRows = (
  snapshot: Snapshot,
  table: ArchivedTable,
  columns: readonly string[],
  { organizationId }: Scope,
): AsyncIterable<Buffer> => {
  const condition = organizationCondition(table, organizationId);
  return snapshot.copy(sql`
    SELECT row_to_json(record) FROM (
      SELECT ${join(columns.map((column) => exportedValue(table, column)))}
      FROM ${table.rows ?? sql`${identifier(table.name)} t`}
      WHERE t.tenant_id = ${TENANT}
        ${condition ? sql`AND ${condition}` : empty}
      ${table.order ? sql`ORDER BY ${table.order}` : empty}) AS record`);
};

function exportedValue({ exported }: ArchivedTable, column: string): Sql {
  const value = exported?.[column];
  return value ? sql`${value} AS ${identifier(column)}` : sql`t.${identifier(column)}`;
}

/**
 * Inserts rows of an archive, for the tenant of the transaction.
 *
 * @param list a JSON array of rows
 * @returns how many rows were stored. Rows of another organization are skipped, and so are rows that
 *   already exist if `existing` is `kept`.
 */
export async function insertRows(
  tx: Queryable,
  table: ArchivedTable,
  columns: readonly string[],
  { organizationId, list }: { organizationId: string | undefined; list: Buffer },
): Promise<number> {
  const records = sql`json_populate_recordset(NULL::${identifier(table.name)}, ${list}::json)`;
  const statement = table.write?.(records) ?? insertion(table, columns, organizationId, records);
  const [stored] = await tx.query<{ count: number }>(sql`
    WITH stored AS (${statement}) SELECT count(*)::int AS count FROM stored`);
  return stored?.count ?? 0;
}

function insertion(
  table: ArchivedTable,
  columns: readonly string[],
  organizationId: string | undefined,
  records: Sql,
): Sql {
  const { imported = {}, existing } = table;
  const values = columns.map((column) => sql`t.${identifier(column)}`);
  // Rows of a `kept` table belong to the API key, so none is skipped for its organization.
  const condition = existing === 'kept' ? undefined : organizationCondition(table, organizationId);
  return sql`
    INSERT INTO ${identifier(table.name)}
      (tenant_id, ${identifiers([...columns, ...Object.keys(imported)])})
    SELECT ${TENANT}, ${join([...values, ...Object.values(imported)])}
    FROM ${records} AS t ${condition ? sql`WHERE ${condition}` : empty}
    ${onConflict(table, columns)} RETURNING 1`;
}

function onConflict({ existing }: ArchivedTable, columns: readonly string[]): Sql {
  if (existing === undefined) return empty;
  if (existing === 'kept') return sql`ON CONFLICT DO NOTHING`;
  // A table whose rows are replaced has one row for each tenant.
  const excluded = columns.map((column) => sql`excluded.${identifier(column)}`);
  return sql`
    ON CONFLICT (tenant_id) DO UPDATE SET (${identifiers(columns)}) = ROW (${join(excluded)})`;
}
