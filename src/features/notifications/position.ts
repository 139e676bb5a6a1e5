import { empty, type Sql, sql } from '../../platform/database/database.ts';

/** The position of a notification in lists: its time, then its number. */
export interface Position {
  createdMs: string;
  position: string;
}

export type Order = 'asc' | 'desc';

/** A position in the form that page tokens hold. */
export const toKey = ({ createdMs, position }: Position): string[] => [createdMs, position];

export function fromKey(key: string[] | undefined): Position | undefined {
  const [createdMs, position] = key ?? [];
  return createdMs === undefined || position === undefined ? undefined : { createdMs, position };
}

/** Cuts a page off rows, of which one more was read. `next` is undefined on the last page. */
export function pageFrom<Row extends Position>(found: Row[], pageSize: number) {
  const rows = found.slice(0, pageSize);
  return { rows, next: found.length > pageSize ? rows.at(-1) : undefined };
}

/** SQL: `AND` the row comes after the position. `table` is `n` or `r`. */
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
