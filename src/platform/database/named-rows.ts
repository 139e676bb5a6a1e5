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
 * SQL for a FROM clause: the rows with these ids. It ends in AS, after which the caller writes an alias.
 *
 * OFFSET 0 makes PostgreSQL look up each row by its whole key. With `id = ANY(…)`, versions before 17
 * may read all rows that match the other columns of the key. They underestimate how many these are:
 * they assume the size of an average tenant, or a default before the table has statistics.
 */
export const namedRows = ({ table, where, idColumn, ids, lock = empty }: NamedRows): Sql => sql`
  (SELECT DISTINCT id COLLATE "C" AS id FROM unnest(${ids}::text[]) AS id ORDER BY 1) AS named
  CROSS JOIN LATERAL (
    SELECT * FROM ${table} WHERE ${where} AND ${idColumn} = named.id ${lock} OFFSET 0
  ) AS`;
