import { type Sql, sql, type Transaction } from '../../platform/database/database.ts';
import { placeNotFound } from '../access/place-not-found.ts';
import { type NamedPlace, resourceOf } from '../access/places.ts';
import type { GrantPlace } from '../access/users/user-event.ts';
import { requireOrganization } from '../directory/organizations/organizations.ts';

/**
 * Locks the resource that an operation names against deletion until the transaction ends.
 *
 * @throws INVALID_ARGUMENT (organization_not_found, folder_not_found, document_not_found)
 */
export async function lockPlace(
  tx: Transaction,
  tenantId: string,
  place: NamedPlace,
): Promise<GrantPlace> {
  const { organizationId } = place;
  const { type, id } = resourceOf(place);
  const found = await tx.query(lockStatement(tenantId, place));
  if (found.length === 0) {
    await requireOrganization(tx, tenantId, organizationId);
    throw placeNotFound(type);
  }
  return { organizationId, resourceType: type, resourceId: id };
}

function lockStatement(tenantId: string, place: NamedPlace): Sql {
  const { organizationId } = place;
  const { type, id } = resourceOf(place);
  if (type === 'document') {
    return sql`
      SELECT 1 FROM documents
      WHERE tenant_id = ${tenantId} AND organization_id = ${organizationId}
        AND document_id = ${id} FOR KEY SHARE`;
  }
  if (type === 'folder') {
    return sql`
      SELECT 1 FROM folders
      WHERE tenant_id = ${tenantId} AND organization_id = ${organizationId}
        AND folder_id = ${id} FOR KEY SHARE`;
  }
  return sql`
    SELECT 1 FROM organizations
    WHERE tenant_id = ${tenantId} AND organization_id = ${organizationId} FOR KEY SHARE`;
}
