import { invalidArgument } from '../platform/errors.ts';
import type { Secrets } from '../platform/secrets.ts';

/** The query that a page token continues: it fits no other. pageSize is not part of it. */
export interface PagedQuery {
  operation: string;
  tenantId: string;
  filters: object;
}

/** A number in a key shows neither itself nor how many digits it has. */
const BLOCK = 64;

/**
 * A token for the page after the row with this key. Keys hold numbers that count the rows of all
 * tenants, so they are sealed.
 */
export function writePageToken(secrets: Secrets, query: PagedQuery, key: string[]): string {
  const text = JSON.stringify(key);
  const padded = text.padEnd(Math.ceil(text.length / BLOCK) * BLOCK);
  return secrets.seal(padded, sealContext(query));
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

/** Tokens from before they were sealed: the key itself, and a code over it. */
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
