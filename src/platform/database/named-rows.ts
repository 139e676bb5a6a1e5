import { empty, type Sql, sql } from './database.ts';

export interface NamedRows {
  table: Sql;
  /** The condition that names the tenant, and whatever else comes before the id in the primary key. */
  where: Sql;
  idColumn: Sql;
  ids: readonly string[];
  /** `FOR UPDATE` and the like: locks the rows in the order of their ids, so that batches cannot deadlock. */
  lock?: Sql | undefined;
}

/**
 * SQL: the rows with these ids, as a table without a name yet. OFFSET 0 makes PostgreSQL look up each by its
 * whole key. With `id = ANY(…)`, versions before 17 read all rows that match the other columns where they expect
 * few of them: in the largest tenant beside many small ones, and before a table has statistics.
 */
export const namedRows = ({ table, where, idColumn, ids, lock = empty }: NamedRows): Sql => sql`
  (SELECT DISTINCT id COLLATE "C" AS id FROM unnest(${ids}::text[]) AS id ORDER BY 1) AS named
  CROSS JOIN LATERAL (
    SELECT * FROM ${table} WHERE ${where} AND ${idColumn} = named.id ${lock} OFFSET 0
  ) AS`;
