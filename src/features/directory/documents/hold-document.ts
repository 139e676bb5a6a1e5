import { sql, type Transaction } from '../../../platform/database/database.ts';
import { placeNotFound } from '../../access/place-not-found.ts';
import { requireOrganization } from '../organizations/organizations.ts';

/**
 * A document on which something is to be hung, kept from being deleted until the transaction is
 * done. Says in which folder it stands, for the channels of events.
 *
 * @throws INVALID_ARGUMENT (organization_not_found, document_not_found)
 */
export async function holdDocument(
  tx: Transaction,
  tenantId: string,
  place: { organizationId: string; documentId: string },
): Promise<{ folderId: string | null }> {
  const found = await lockDocument(tx, tenantId, place);
  if (found) return found;
  await requireOrganization(tx, tenantId, place.organizationId);
  throw placeNotFound('document');
}

/** Keeps the document from being deleted, if it is there. */
export async function lockDocument(
  tx: Transaction,
  tenantId: string,
  { organizationId, documentId }: { organizationId: string; documentId: string },
): Promise<{ folderId: string | null } | undefined> {
  const [found] = await tx.query<{ folderId: string | null }>(sql`
    SELECT folder_id AS "folderId" FROM documents
    WHERE tenant_id = ${tenantId} AND organization_id = ${organizationId}
      AND document_id = ${documentId} FOR KEY SHARE`);
  return found;
}

/** Where an event about something on a document is told. */
export function documentChannels(
  { organizationId, documentId }: { organizationId: string; documentId: string },
  folderId: string | null,
  userId: string | undefined,
): string[] {
  return [
    `organization:${organizationId}`,
    `document:${documentId}`,
    ...(folderId === null ? [] : [`folder:${folderId}`]),
    ...(userId === undefined ? [] : [`user:${userId}`]),
  ];
}
