import { type Sql, sql, type Transaction } from '../../platform/database/database.ts';
import { placeNotFound } from '../access/place-not-found.ts';
import { type NamedPlace, resourceOf } from '../access/places.ts';
import type { GrantPlace } from '../access/users/user-event.ts';
import { type OrganizationState, requireOpen } from '../directory/organizations/organizations.ts';

/**
 * Locks the named resource against deletion until the transaction ends.
 *
 * @throws INVALID_ARGUMENT (organization_not_found, folder_not_found, document_not_found)
 */
export async function lockPlace(
  tx: Transaction,
  tenantId: string,
  place: NamedPlace,
): Promise<GrantPlace> {
  const { organizationId } = place;
  const [found] = await tx.query<OrganizationState & { isLocked: boolean }>(sql`
    WITH locked AS (${lockOf(tenantId, place)})
    SELECT is_being_deleted AS "isBeingDeleted", EXISTS (TABLE locked) AS "isLocked"
    FROM organizations
    WHERE tenant_id = ${tenantId} AND organization_id = ${organizationId}`);
  if (found?.isLocked) return grantPlaceOf(place);
  requireOpen(found);
  throw placeNotFound(resourceOf(place).type);
}

export function grantPlaceOf(place: NamedPlace): GrantPlace {
  const { type, id } = resourceOf(place);
  return { organizationId: place.organizationId, resourceType: type, resourceId: id };
}

function lockOf(tenantId: string, place: NamedPlace): Sql {
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
