import { type Queryable, sql } from '../../../platform/database/database.ts';
import type { Preference } from './schema.ts';

/** Stands in place of a document's id. No id is empty. */
export const WHOLE_ORGANIZATION = '';

type Levels = Preference['config'];

interface UserInPlace {
  organizationId: string;
  documentId: string;
  userId: string;
}

/**
 * Loads the preferences of many users in many places: one statement, or none for no users. A
 * document's setting takes precedence over the organization's; the default is ALL.
 */
export async function loadLevels(
  db: Queryable,
  tenantId: string,
  queried: UserInPlace[],
): Promise<(one: UserInPlace) => Levels> {
  if (queried.length === 0) return () => ({ inbox: 'ALL', email: 'ALL' });
  const allOf = (field: keyof UserInPlace) => [...new Set(queried.map((one) => one[field]))];
  const rows = await db.query<UserInPlace & { [Way in keyof Levels]: Levels[Way] | null }>(sql`
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
  return (one) => {
    const own = byKey.get(keyOf(one));
    const whole = byKey.get(keyOf({ ...one, documentId: WHOLE_ORGANIZATION }));
    const levelOf = (way: keyof Levels) => own?.[way] ?? whole?.[way] ?? 'ALL';
    return { inbox: levelOf('inbox'), email: levelOf('email') };
  };
}
