import { sql, type Transaction } from '../../../platform/database/database.ts';
import { placeNotFound } from '../../access/place-not-found.ts';
import type { DocumentRef } from '../../access/places.ts';
import { type OrganizationState, requireOpen } from '../organizations/organizations.ts';

/**
 * Locks a document against deletion until the transaction ends, so that records can be added to it.
 * Returns its folder, for the channels of events.
 *
 * @throws INVALID_ARGUMENT (organization_not_found, document_not_found)
 */
export async function requireLockedDocument(
  tx: Transaction,
  tenantId: string,
  place: DocumentRef,
): Promise<{ folderId: string | null }> {
  const found = await lockDocument(tx, tenantId, place);
  if (!found) throw placeNotFound('document');
  return found;
}

/**
 * Locks a document in the same way; undefined when it does not exist.
 *
 * @throws INVALID_ARGUMENT (organization_not_found)
 */
export async function lockDocument(
  tx: Transaction,
  tenantId: string,
  { organizationId, documentId }: DocumentRef,
): Promise<{ folderId: string | null } | undefined> {
  const [found] = await tx.query<
    OrganizationState & { documentExists: boolean; folderId: string | null }
  >(sql`
    WITH document AS (
      SELECT folder_id FROM documents
      WHERE tenant_id = ${tenantId} AND organization_id = ${organizationId}
        AND document_id = ${documentId} FOR KEY SHARE
    )
    SELECT is_being_deleted AS "isBeingDeleted", EXISTS (TABLE document) AS "documentExists",
           (TABLE document) AS "folderId"
    FROM organizations
    WHERE tenant_id = ${tenantId} AND organization_id = ${organizationId}`);
  const { documentExists, folderId } = requireOpen(found);
  return documentExists ? { folderId } : undefined;
}

/** Returns the channels of an event that belongs to a document. */
export function documentChannels(
  { organizationId, documentId }: DocumentRef,
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
