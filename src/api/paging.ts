import { z } from 'zod';
import { empty, type Sql, sql } from '../platform/database/database.ts';
import { type NamedRows, namedRows } from '../platform/database/named-rows.ts';
import { invalidField } from '../platform/errors.ts';
import type { Secrets } from '../platform/secrets.ts';

/**
 * The query that a page token continues. The token is valid for this query only, with any pageSize.
 */
export interface PagedQuery {
  operation: string;
  tenantId: string;
  filters: object;
}

/** Keys are padded to a multiple of this length, which hides how many digits they have. */
const BLOCK_CHARS = 64;

/**
 * Creates the token for the page after the row with this key. Keys contain numbers that count the
 * rows of all tenants, so they are encrypted.
 */
export function writePageToken(secrets: Secrets, query: PagedQuery, key: string[]): string {
  const text = JSON.stringify(key);
  const padded = text.padEnd(Math.ceil(text.length / BLOCK_CHARS) * BLOCK_CHARS);
  return secrets.seal(padded, sealContext(query));
}

/**
 * Returns the key of the last row of the previous page; undefined for the first page.
 *
 * @param field the input field of the token, which the error names
 * @throws INVALID_ARGUMENT for a token that is forged, truncated, or from another query.
 */
export function readPageToken(
  secrets: Secrets,
  query: PagedQuery,
  token: string | undefined,
  field = 'pageToken',
): string[] | undefined {
  if (token === undefined) return undefined;
  const key = secrets.openJson<string[]>(token, sealContext(query));
  if (!key) throw invalidField(field, 'is not a token for this query');
  return key;
}

const sealContext = ({ operation, tenantId, filters }: PagedQuery) =>
  `page token ${JSON.stringify([operation, tenantId, filters])}`;

/**
 * Cuts rows that were read with `LIMIT pageSize + 1` to one page, and creates the token for the
 * next page if there is one.
 */
export function pageOf<Row>(
  rows: Row[],
  pageSize: number,
  tokenAfter: (last: Row) => string,
): { rows: Row[]; nextPageToken: string | undefined } {
  const kept = rows.slice(0, pageSize);
  const last = kept.at(-1);
  const hasMore = rows.length > pageSize && last !== undefined;
  return { rows: kept, nextPageToken: hasMore ? tokenAfter(last) : undefined };
}

/** The output of an operation that returns a page of items. */
export const page = <Item extends z.ZodType>(item: Item) =>
  z.object({ data: z.array(item), nextPageToken: z.string().optional() });

interface Paging extends Omit<PagedQuery, 'tenantId'> {
  pageSize: number;
  pageToken?: string | undefined;
}

/**
 * Reads one page of a query, in the order of a text column with distinct values.
 *
 * @param read runs the query with `endOfQuery` after its conditions; not called for an invalid token
 */
export async function readPage<Row>(
  { secrets, tenantId }: { secrets: Secrets; tenantId: string },
  { operation, filters, pageSize, pageToken }: Paging,
  [column, keyOf]: [column: Sql, keyOf: (row: Row) => string],
  read: (endOfQuery: Sql) => Promise<Row[]>,
): Promise<{ rows: Row[]; nextPageToken: string | undefined }> {
  const query = { operation, tenantId, filters };
  const [after] = readPageToken(secrets, query, pageToken) ?? [];
  const condition = after === undefined ? empty : sql`AND ${column} > ${after}`;
  // One row more shows whether another page follows.
  const found = await read(sql`${condition} ORDER BY ${column} LIMIT ${pageSize + 1}`);
  return pageOf(found, pageSize, (last) => writePageToken(secrets, query, [keyOf(last)]));
}

/** SQL: the rows of a table or, if ids are given, the rows with these ids. It ends with `AS`, so an alias must follow. */
export const rowsAmong = (rows: Omit<NamedRows, 'ids'>, ids: string[] | undefined): Sql =>
  ids?.length
    ? namedRows({ ...rows, ids })
    : sql`(SELECT * FROM ${rows.table} WHERE ${rows.where}) AS`;

/** SQL: `AND`, and the condition that the column has one of the values; empty when no values are given. */
export function among(column: Sql, values: string[] | undefined): Sql {
  if (!values?.length) return empty;
  // With `=`, PostgreSQL searches an index for the value. With `= ANY`, versions before 17 may instead filter
  // all rows that match the other conditions, if they expect few of them.
  return values.length === 1
    ? sql`AND ${column} = ${values[0]}`
    : sql`AND ${column} = ANY(${values})`;
}
