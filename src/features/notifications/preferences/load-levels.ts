import { type Queryable, sql } from '../../../platform/database/database.ts';
import type { Preference } from './schema.ts';

/** Stands for the whole organization in place of a document's id, which is never empty. */
export const WHOLE_ORGANIZATION = '';

type Levels = Preference['config'];

interface UserInPlace {
  organizationId: string;
  documentId: string;
  userId: string;
}

/**
 * Loads the preferences of many users in many places by one statement, or none for no users. In the
 * result, a document's setting takes precedence over the organization's; the default is ALL.
 */
export async function loadLevels(
  db: Queryable,
  tenantId: string,
  queried: UserInPlace[],
): Promise<(user: UserInPlace) => Levels> {
  if (queried.length === 0) return () => ({ inbox: 'ALL', email: 'ALL' });
  const allOf = (field: keyof UserInPlace) => [...new Set(queried.map((user) => user[field]))];
  const rows = await db.query<UserInPlace & { [Name in keyof Levels]: Levels[Name] | null }>(sql`
    SELECT organization_id AS "organizationId", document_id AS "documentId", user_id AS "userId",
           inbox, email
    FROM notification_preferences
    WHERE tenant_id = ${tenantId} AND organization_id = ANY(${allOf('organizationId')})
      AND user_id = ANY(${allOf('userId')})
      AND document_id = ANY(${[...allOf('documentId'), WHOLE_ORGANIZATION]})`);
  // Ids contain no NUL.
  const keyOf = ({ organizationId, documentId, userId }: UserInPlace) =>
    `${organizationId}\0${documentId}\0${userId}`;
  const byKey = new Map(rows.map((row) => [keyOf(row), row]));
  return (user) => {
    const own = byKey.get(keyOf(user));
    const general = byKey.get(keyOf({ ...user, documentId: WHOLE_ORGANIZATION }));
    const levelOf = (channel: keyof Levels) => own?.[channel] ?? general?.[channel] ?? 'ALL';
    return { inbox: levelOf('inbox'), email: levelOf('email') };
  };
}
