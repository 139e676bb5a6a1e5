import { isRow, type Row } from './hosted-service.ts';

/** Reads fields of resources as the hosted service returns them, which differ between its operations. */

export const textOf = (value: unknown): string | undefined =>
  typeof value === 'string' && value !== '' ? value : undefined;

/** The id in a field of its own, such as `documentId`, or in `id`. */
export const idOf = (row: Row, field: string): string | undefined =>
  textOf(row[field]) ?? textOf(row.id);

export const listOf = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);

export const rowsOf = (value: unknown): Row[] => listOf(value).filter(isRow);

export const rowOf = (value: unknown): Row | undefined => (isRow(value) ? value : undefined);

/** Epoch milliseconds; the service writes times as such, or in ISO 8601. */
export function timeOf(value: unknown): number | undefined {
  const ms = typeof value === 'string' ? Date.parse(value) : value;
  return typeof ms === 'number' && ms >= 0 ? Math.floor(ms) : undefined;
}

/** The times of creation and of the last change, which the service may show before the creation. */
export function timesOf(row: Row): { createdAt?: number; lastUpdated?: number } {
  const createdAt = timeOf(row.createdAt);
  const lastUpdated = timeOf(row.lastUpdated);
  if (createdAt === undefined) return {};
  return { createdAt, lastUpdated: Math.max(createdAt, lastUpdated ?? createdAt) };
}

/** The row without fields that have no value. This server refuses null in an optional field. */
export const dropEmpty = <Resource = Row>(row: Row): Resource =>
  Object.fromEntries(
    Object.entries(row).filter(([, value]) => value != null && value !== ''),
  ) as Resource;

/** The row without the named fields, and without fields that have no value. */
export const without = <Resource = Row>(row: Row, fields: ReadonlySet<string>): Resource =>
  dropEmpty(Object.fromEntries(Object.entries(row).filter(([name]) => !fields.has(name))));

/** The fields that the service derives from others, or that describe its own accounts. */
const DERIVED = new Set([
  'clientUserName',
  'name_lowercase',
  'email_lowercase',
  'groupId',
  'organizationId',
  'documentId',
  'contacts',
  'type',
  'apiKey',
  'metadata',
]);

export interface User extends Row {
  userId: string;
}

/** A user with the fields that are written here; undefined without an id. */
export function userOf(value: unknown): User | undefined {
  const row = rowOf(value);
  const userId = textOf(row?.userId);
  if (!row || userId === undefined) return undefined;
  const { accessRole, email, ...fields } = without(row, DERIVED);
  return dropEmpty({
    ...fields,
    userId,
    // The service accepts any text as an address.
    email: textOf(email)?.includes('@') ? email : undefined,
    accessRole: accessRole === 'viewer' || accessRole === 'editor' ? accessRole : undefined,
  });
}

const ROLE = new Set(['accessRole']);

/** A user who is named in a comment, without a role. */
export function personOf(value: unknown): User | undefined {
  const user = userOf(value);
  return user && without(user, ROLE);
}

export const peopleOf = (value: unknown): User[] =>
  // A mention holds the person as `contact`, next to the text of the mention.
  rowsOf(value).flatMap((row) => personOf(row.contact ?? row) ?? []);

export const chunksOf = <Item>(items: Item[], size: number): Item[][] =>
  Array.from({ length: Math.ceil(items.length / size) }, (_, n) =>
    items.slice(n * size, (n + 1) * size),
  );
