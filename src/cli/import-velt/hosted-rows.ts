import { isRow, type Row } from './hosted-service.ts';

// Reads the fields of resources. The operations of the hosted service return them in different forms.

export const textOf = (value: unknown): string | undefined =>
  typeof value === 'string' && value !== '' ? value : undefined;

/** Returns the id from a field such as `documentId`, or else from `id`. */
export const idOf = (row: Row, field: string): string | undefined =>
  textOf(row[field]) ?? textOf(row.id);

export const listOf = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);

export const rowsOf = (value: unknown): Row[] => listOf(value).filter(isRow);

export const rowOf = (value: unknown): Row | undefined => (isRow(value) ? value : undefined);

/** Returns epoch milliseconds. The service writes times as such numbers, or in ISO 8601. */
export function timeOf(value: unknown): number | undefined {
  const ms = typeof value === 'string' ? Date.parse(value) : value;
  return typeof ms === 'number' && ms >= 0 ? Math.floor(ms) : undefined;
}

/** Returns when a row was created and last changed. A change dated before the creation gets the time of the creation. */
export function timesOf(row: Row): { createdAt?: number; lastUpdated?: number } {
  const createdAt = timeOf(row.createdAt);
  const lastUpdated = timeOf(row.lastUpdated);
  if (createdAt === undefined) return {};
  return { createdAt, lastUpdated: Math.max(createdAt, lastUpdated ?? createdAt) };
}

/** Returns the row without fields that have no value. This server refuses null in an optional field. */
export const dropEmpty = <Resource = Row>(row: Row): Resource =>
  Object.fromEntries(
    Object.entries(row).filter(([, value]) => value != null && value !== ''),
  ) as Resource;

/** Returns the row without the named fields, and without fields that have no value. */
export const without = <Resource = Row>(row: Row, fields: ReadonlySet<string>): Resource =>
  dropEmpty(Object.fromEntries(Object.entries(row).filter(([name]) => !fields.has(name))));

/** The fields that the service derives from others, or that describe its own accounts. */
const DERIVED_FIELDS = new Set([
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

/** Returns a user with the fields that are imported; undefined without an id. */
export function userOf(value: unknown): User | undefined {
  const row = rowOf(value);
  const userId = textOf(row?.userId);
  if (!row || userId === undefined) return undefined;
  const { accessRole, email, ...fields } = without(row, DERIVED_FIELDS);
  return dropEmpty({
    ...fields,
    userId,
    // The service accepts any text as an email address, so texts without an @ are left out.
    email: textOf(email)?.includes('@') ? email : undefined,
    accessRole: accessRole === 'viewer' || accessRole === 'editor' ? accessRole : undefined,
  });
}

const ROLE_FIELDS = new Set(['accessRole']);

/** Returns a user who is named in a comment, without a role. */
export function personOf(value: unknown): User | undefined {
  const user = userOf(value);
  return user && without(user, ROLE_FIELDS);
}

export const peopleOf = (value: unknown): User[] =>
  // A mention contains the user as `contact`, next to the text of the mention.
  rowsOf(value).flatMap((row) => personOf(row.contact ?? row) ?? []);

export const chunksOf = <Item>(items: Item[], size: number): Item[][] =>
  Array.from({ length: Math.ceil(items.length / size) }, (_, index) =>
    items.slice(index * size, (index + 1) * size),
  );
