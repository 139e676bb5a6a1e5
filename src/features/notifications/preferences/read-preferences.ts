import type { KeyContext } from '../../../api/context.ts';
import { type Queryable, sql } from '../../../platform/database/database.ts';
import { invalidArgument } from '../../../platform/errors.ts';
import { ownUserId } from '../../access/own-user.ts';
import type { Preference, PreferencesQuery } from './schema.ts';

/** The users and places whose preferences a call names. */
export interface PreferencePlaces {
  tenantId: string;
  organizationId: string;
  userIds: string[];
  /** `WHOLE_ORGANIZATION` is one of them. */
  documentIds: string[];
}

/** Stands in place of a document's id. No id is empty. */
export const WHOLE_ORGANIZATION = '';

/**
 * The users and places that the query names. API keys have to name users; a user token stands for
 * its own user.
 *
 * @throws INVALID_ARGUMENT, PERMISSION_DENIED
 */
export async function placesIn(
  ctx: KeyContext,
  query: PreferencesQuery,
): Promise<PreferencePlaces> {
  const { organizationId, userId, userIds = [] } = query;
  const named = new Set(userId === undefined ? userIds : [userId, ...userIds]);
  const own = ctx.userId === undefined ? undefined : ownOf(ctx, named);
  const all = own === undefined ? [...named] : [own];
  if (all.length === 0) {
    const details = { issues: [{ path: 'userId', message: 'is required of API keys' }] };
    throw invalidArgument('userId: is required of API keys.', { details });
  }
  const documentIds = [...new Set(query.documentIds)];
  if (documentIds.length === 0) documentIds.push(WHOLE_ORGANIZATION);
  return { tenantId: ctx.tenantId, organizationId, userIds: all, documentIds };
}

/** Refuses every other user that is named. */
function ownOf(ctx: KeyContext, named: Set<string>) {
  const other = [...named].find((userId) => userId !== ctx.userId);
  return ownUserId(ctx, { userId: other });
}

interface PreferenceRow {
  userId: string;
  documentId: string;
  inbox: Preference['config']['inbox'];
  email: Preference['config']['email'];
}

/**
 * The effective preferences of each user on each document: those of the document, else those of the
 * organization, else ALL.
 */
export async function readPreferences(
  db: Queryable,
  places: PreferencePlaces,
): Promise<Preference[]> {
  const rows = await db.query<PreferenceRow>(sql`
    WITH here AS (
      SELECT user_id, document_id, inbox, email FROM notification_preferences
      WHERE tenant_id = ${places.tenantId} AND organization_id = ${places.organizationId}
        AND user_id = ANY(${places.userIds})
        AND document_id = ANY(${[...places.documentIds, WHOLE_ORGANIZATION]})
    )
    SELECT users.user_id AS "userId", documents.document_id AS "documentId",
           COALESCE(own.inbox, whole.inbox, 'ALL') AS inbox,
           COALESCE(own.email, whole.email, 'ALL') AS email
    FROM unnest(${places.userIds}::text[]) WITH ORDINALITY AS users(user_id, user_number)
    CROSS JOIN unnest(${places.documentIds}::text[]) WITH ORDINALITY
      AS documents(document_id, document_number)
    LEFT JOIN here own ON own.user_id = users.user_id
      AND own.document_id = documents.document_id
    LEFT JOIN here whole ON whole.user_id = users.user_id
      AND whole.document_id = ${WHOLE_ORGANIZATION}
    ORDER BY user_number, document_number`);
  return rows.map(({ userId, documentId, inbox, email }) => ({
    userId,
    ...(documentId !== WHOLE_ORGANIZATION && { documentId }),
    config: { inbox, email },
  }));
}
