import { type Queryable, sql } from '../../../platform/database/database.ts';
import type { Preference } from './schema.ts';

export type Level = Preference['config']['inbox'];

/** Somebody, and the document of which they would be told something. */
export interface Told {
  organizationId: string;
  documentId: string;
  userId: string;
}

/**
 * What counts for each of them, in their order, on either way: what is set for the document, else
 * for the organization, else everything. One statement, of any number of organizations.
 */
export async function readLevels(
  db: Queryable,
  tenantId: string,
  way: 'inbox' | 'email',
  told: Told[],
): Promise<Level[]> {
  if (told.length === 0) return [];
  const rows = await db.query<Record<'inbox' | 'email', Level>>(sql`
    SELECT COALESCE(own.inbox, whole.inbox, 'ALL') AS inbox,
           COALESCE(own.email, whole.email, 'ALL') AS email
    FROM unnest(${told.map((each) => each.organizationId)}::text[],
                ${told.map((each) => each.documentId)}::text[],
                ${told.map((each) => each.userId)}::text[])
      WITH ORDINALITY AS told(organization_id, document_id, user_id, number)
    LEFT JOIN notification_preferences own ON own.tenant_id = ${tenantId}
      AND own.organization_id = told.organization_id AND own.user_id = told.user_id
      AND own.document_id = told.document_id
    LEFT JOIN notification_preferences whole ON whole.tenant_id = ${tenantId}
      AND whole.organization_id = told.organization_id AND whole.user_id = told.user_id
      AND whole.document_id = ''
    ORDER BY told.number`);
  return rows.map((row) => row[way]);
}
