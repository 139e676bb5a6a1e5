import type { AccessRole } from '../../../api/fields.ts';
import { type Sql, sql, type Transaction } from '../../../platform/database/database.ts';
import { namedRows } from '../../../platform/database/named-rows.ts';
import type { NewEvent } from '../../../platform/events/event-log.ts';
import { type NamedPlace, resourceOf } from '../places.ts';

/** A user, with the user's role on one resource. Fields without a value are null, and so is a missing role. */
export interface UserRow {
  userId: string;
  name: string | null;
  email: string | null;
  initial: string | null;
  metadata: Record<string, unknown>;
  accessRole: AccessRole | null;
}

/** SQL: those of a key's users who have these ids; see `namedRows`. */
export const namedUsers = (tenantId: string, userIds: readonly string[], lock?: Sql): Sql =>
  namedRows({
    table: sql`users`,
    where: sql`tenant_id = ${tenantId}`,
    idColumn: sql`user_id`,
    ids: userIds,
    lock,
  });

/** Locks users against deletion until the transaction ends. Returns the ids of those who exist. */
export async function lockExistingUsers(tx: Transaction, tenantId: string, userIds: string[]) {
  const rows = await tx.query<{ userId: string }>(sql`
    SELECT user_id AS "userId" FROM ${namedUsers(tenantId, userIds, sql`FOR KEY SHARE`)} u`);
  return new Set(rows.map(({ userId }) => userId));
}

/** Returns the user object of specification 2.9. It omits fields that are null. */
export function presentUser({ userId, name, email, initial, metadata, accessRole }: UserRow) {
  const fields = Object.entries({ name, email, initial, accessRole });
  const known = Object.fromEntries(fields.filter(([, value]) => value !== null));
  return { ...metadata, userId, ...known };
}

/** Creates an event about a user on a resource. `data` is the user as presented there. */
export function userEvent(
  type: 'user.add' | 'user.update' | 'user.delete',
  place: NamedPlace,
  data: { userId: string },
): NewEvent {
  const { organizationId, documentId } = place;
  const resource = resourceOf(place);
  const channels = new Set([
    `organization:${organizationId}`,
    `${resource.type}:${resource.id}`,
    `user:${data.userId}`,
  ]);
  return {
    type,
    organizationId,
    ...(documentId !== undefined && { documentId }),
    channels: [...channels],
    data,
  };
}

const graphemes = new Intl.Segmenter('en', { granularity: 'grapheme' });

/** Matches names whose first character is a grapheme by itself, since two ASCII characters never combine. */
const ASCII_START = /^[ -~](?:[ -~]|$)/;

/** Returns the first grapheme of a name, in upper case (specification 2.9). */
export function initialOf(name: string): string {
  const trimmed = name.trim();
  // The segmenter takes a hundred times as long, and a batch may have 1,000 names.
  if (ASCII_START.test(trimmed)) return trimmed.charAt(0).toUpperCase();
  const [first] = graphemes.segment(trimmed);
  return first?.segment.toUpperCase() ?? '';
}
