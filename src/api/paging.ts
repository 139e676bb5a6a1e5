import { invalidArgument } from '../platform/errors.ts';
import type { Secrets } from '../platform/secrets.ts';

/** The query that a page token continues: it fits no other. pageSize is not part of it. */
export interface PagedQuery {
  operation: string;
  tenantId: string;
  filters: object;
}

/** A token for the page after the row with this key. */
export function writePageToken(secrets: Secrets, query: PagedQuery, key: string[]): string {
  const position = Buffer.from(JSON.stringify(key)).toString('base64url');
  return `${position}.${secrets.mac(sealedText(query, position))}`;
}

/**
 * The key of the row before the page, or nothing for the first page.
 *
 * @param field how the operation calls its token
 * @throws INVALID_ARGUMENT when the token is forged, cut, or of another query.
 */
export function readPageToken(
  secrets: Secrets,
  query: PagedQuery,
  token: string | undefined,
  field = 'pageToken',
): string[] | undefined {
  if (token === undefined) return undefined;
  const [position = ''] = token.split('.');
  if (!secrets.isMac(sealedText(query, position), token.slice(position.length + 1))) {
    throw invalidArgument(`${field}: is not a token of this query.`, {
      details: { issues: [{ path: field, message: 'is not a token of this query' }] },
    });
  }
  return JSON.parse(Buffer.from(position, 'base64url').toString()) as string[];
}

const sealedText = ({ operation, tenantId, filters }: PagedQuery, position: string) =>
  JSON.stringify([operation, tenantId, filters, position]);

/**
 * Cuts what was read with `LIMIT pageSize + 1` to the page, and makes the token for the next one
 * when there is more.
 */
export function pageOf<Row>(
  rows: Row[],
  pageSize: number,
  tokenAfter: (last: Row) => string,
): { rows: Row[]; nextPageToken: string | undefined } {
  const page = rows.slice(0, pageSize);
  const last = page.at(-1);
  const more = rows.length > pageSize && last !== undefined;
  return { rows: page, nextPageToken: more ? tokenAfter(last) : undefined };
}
