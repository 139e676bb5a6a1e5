import { type Queryable, sql } from '../../../platform/database/database.ts';
import { WHOLE_ORGANIZATION } from './read-preferences.ts';
import type { Preference } from './schema.ts';

type Levels = Preference['config'];

interface WhoAndWhere {
  organizationId: string;
  documentId: string;
  userId: string;
}

/**
 * What many people want to be told of, of events in many places: one statement. A document's
 * setting counts before the organization's, and without any it is ALL.
 */
export async function loadLevels(
  db: Queryable,
  tenantId: string,
  asked: WhoAndWhere[],
): Promise<{ of(one: WhoAndWhere): Levels }> {
  const documentIds = asked.map((one) => one.documentId);
  const rows = await db.query<WhoAndWhere & { [Way in keyof Levels]: Levels[Way] | null }>(sql`
    SELECT organization_id AS "organizationId", document_id AS "documentId", user_id AS "userId",
           inbox, email
    FROM notification_preferences
    WHERE tenant_id = ${tenantId}
      AND organization_id = ANY(${distinct(asked.map((one) => one.organizationId))})
      AND user_id = ANY(${distinct(asked.map((one) => one.userId))})
      AND document_id = ANY(${distinct([...documentIds, WHOLE_ORGANIZATION])})`);
  const byKey = new Map(rows.map((row) => [keyOf(row), row]));
  return {
    of(one) {
      const own = byKey.get(keyOf(one));
      const whole = byKey.get(keyOf({ ...one, documentId: WHOLE_ORGANIZATION }));
      const levelOf = (way: keyof Levels) => own?.[way] ?? whole?.[way] ?? 'ALL';
      return { inbox: levelOf('inbox'), email: levelOf('email') };
    },
  };
}

const distinct = (ids: string[]) => [...new Set(ids)];

const keyOf = ({ organizationId, documentId, userId }: WhoAndWhere) =>
  JSON.stringify([organizationId, documentId, userId]);
