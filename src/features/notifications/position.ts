import { empty, type Sql, sql } from '../../platform/database/database.ts';

/** Where a notification stands in every list: at its time, and among equals by its number. */
export interface Position {
  createdMs: string;
  position: string;
}

export type Order = 'asc' | 'desc';

/** A position as page tokens hold it. */
export const toKey = ({ createdMs, position }: Position): string[] => [createdMs, position];

export function fromKey(key: string[] | undefined): Position | undefined {
  const [createdMs, position] = key ?? [];
  return createdMs === undefined || position === undefined ? undefined : { createdMs, position };
}

/** SQL: what comes after a position, in an order. `table` is `n` or `r`. */
export function afterPosition(table: Sql, order: Order, after: Position | undefined): Sql {
  if (!after) return empty;
  const operator = order === 'asc' ? sql`>` : sql`<`;
  return sql`AND (${table}.created_ms, ${table}.position)
    ${operator} (${after.createdMs}::bigint, ${after.position}::bigint)`;
}

export const inOrder = (table: Sql, order: Order): Sql =>
  order === 'asc'
    ? sql`ORDER BY ${table}.created_ms, ${table}.position`
    : sql`ORDER BY ${table}.created_ms DESC, ${table}.position DESC`;
