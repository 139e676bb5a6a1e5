import { invalidArgument } from '../platform/errors.ts';
import type { Secrets } from '../platform/secrets.ts';

/**
 * The query that a page token continues. The token is valid for this query only, with any pageSize.
 */
export interface PagedQuery {
  operation: string;
  tenantId: string;
  filters: object;
}

/** Keys are padded to this length, so that a token does not reveal the number of digits. */
const BLOCK = 64;

/**
 * Creates the token for the page after the row with this key. Keys contain numbers that count the
 * rows of all tenants, so they are encrypted.
 */
export function writePageToken(secrets: Secrets, query: PagedQuery, key: string[]): string {
  const text = JSON.stringify(key);
  const padded = text.padEnd(Math.ceil(text.length / BLOCK) * BLOCK);
  return secrets.seal(padded, sealContext(query));
}

/**
 * Returns the key of the last row of the previous page; undefined for the first page.
 *
 * @param field the name of the token in the operation
 * @throws INVALID_ARGUMENT for a token that is forged, truncated, or of another query.
 */
export function readPageToken(
  secrets: Secrets,
  query: PagedQuery,
  token: string | undefined,
  field = 'pageToken',
): string[] | undefined {
  if (token === undefined) return undefined;
  const key = open(secrets, query, token) ?? readSigned(secrets, query, token);
  if (key !== undefined) return JSON.parse(key) as string[];
  throw invalidArgument(`${field}: is not a token of this query.`, {
    details: { issues: [{ path: field, message: 'is not a token of this query' }] },
  });
}

function open(secrets: Secrets, query: PagedQuery, token: string): string | undefined {
  try {
    return secrets.open(token, sealContext(query));
  } catch {
    return undefined;
  }
}

/** Older tokens are not encrypted, and consist of the key and a signature. */
function readSigned(secrets: Secrets, query: PagedQuery, token: string): string | undefined {
  const [position = ''] = token.split('.');
  const code = token.slice(position.length + 1);
  const { operation, tenantId, filters } = query;
  const signed = JSON.stringify([operation, tenantId, filters, position]);
  if (!secrets.isMac(signed, code)) return undefined;
  return Buffer.from(position, 'base64url').toString();
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
  const page = rows.slice(0, pageSize);
  const last = page.at(-1);
  const more = rows.length > pageSize && last !== undefined;
  return { rows: page, nextPageToken: more ? tokenAfter(last) : undefined };
}
