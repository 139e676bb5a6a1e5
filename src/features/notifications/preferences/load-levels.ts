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
 * Loads the preferences of many users in many places in one statement, unless there are no users. In the
 * result, a document's setting takes precedence over the organization's; the default is ALL. OFFSET 0
 * makes PostgreSQL look up each preference by its key.
 */
export async function loadLevels(
  db: Queryable,
  tenantId: string,
  queried: UserInPlace[],
): Promise<(user: UserInPlace) => Levels> {
  if (queried.length === 0) return () => ({ inbox: 'ALL', email: 'ALL' });
  const wholeOrganizations = queried.map((user) => ({ ...user, documentId: WHOLE_ORGANIZATION }));
  const allOf = (field: keyof UserInPlace) =>
    [...queried, ...wholeOrganizations].map((user) => user[field]);
  const rows = await db.query<UserInPlace & { [Name in keyof Levels]: Levels[Name] | null }>(sql`
    SELECT p.organization_id AS "organizationId", p.document_id AS "documentId", p.user_id AS "userId",
           inbox, email
    FROM (
      SELECT DISTINCT * FROM unnest(${allOf('organizationId')}::text[], ${allOf('documentId')}::text[],
        ${allOf('userId')}::text[])
    ) AS named(organization_id, document_id, user_id) CROSS JOIN LATERAL (
      SELECT * FROM notification_preferences
      WHERE tenant_id = ${tenantId} AND organization_id = named.organization_id
        AND user_id = named.user_id AND document_id = named.document_id OFFSET 0
    ) AS p`);
  // Ids contain no NUL, so two users in different places never have the same key.
  const keyOf = ({ organizationId, documentId, userId }: UserInPlace) =>
    `${organizationId}\0${documentId}\0${userId}`;
  const byKey = new Map(rows.map((row) => [keyOf(row), row]));
  return (user) => {
    const ofDocument = byKey.get(keyOf(user));
    const ofOrganization = byKey.get(keyOf({ ...user, documentId: WHOLE_ORGANIZATION }));
    const levelOf = (channel: keyof Levels) =>
      ofDocument?.[channel] ?? ofOrganization?.[channel] ?? 'ALL';
    return { inbox: levelOf('inbox'), email: levelOf('email') };
  };
}
