import type { Queryable } from '../../platform/database/database.ts';
import { underWayOf } from '../../platform/jobs/job.ts';
import { loadResources } from '../access/load-resources.ts';
import { placeBeingDeleted } from '../access/place-not-found.ts';
import { keyOf } from '../access/places.ts';
import { deleteFolderJob } from '../directory/folders/delete-folder-job.ts';
import { deleteOrganizationJob } from '../directory/organizations/delete-organization-job.ts';
import { organizationOf, type ResourceGrant } from './schema.ts';

/**
 * Refuses grants on resources that a background job is deleting, directly or with a folder above
 * them. Such jobs are rare, and only the resources of their organizations are loaded.
 *
 * @throws INVALID_ARGUMENT (organization_not_found, folder_not_found, document_not_found)
 */
export async function rejectPendingDeletion(
  db: Queryable,
  tenantId: string,
  grants: ResourceGrant[],
): Promise<void> {
  const organizations = await underWayOf(db, deleteOrganizationJob, tenantId);
  const leaving = new Set(organizations.map(({ organizationId }) => organizationId));
  const within = grants.find((grant) => leaving.has(organizationOf(grant)));
  if (within) throw placeBeingDeleted(within.type, within.id);

  const folders = await underWayOf(db, deleteFolderJob, tenantId);
  const roots = Map.groupBy(folders, ({ organizationId }) => organizationId);
  for (const [organizationId, payloads] of roots) {
    const inside = grants.filter(
      (grant) => grant.type !== 'organization' && grant.organizationId === organizationId,
    );
    const keys = new Set(payloads.map(({ folderId }) => keyOf('folder', folderId)));
    await refuseInside(db, { tenantId, organizationId }, inside, keys);
  }
}

async function refuseInside(
  db: Queryable,
  organization: { tenantId: string; organizationId: string },
  grants: ResourceGrant[],
  deleting: ReadonlySet<string>,
): Promise<void> {
  if (grants.length === 0) return;
  const idsOf = (type: ResourceGrant['type']) =>
    grants.filter((grant) => grant.type === type).map(({ id }) => id);
  const { resources } = await loadResources(db, {
    ...organization,
    folderIds: idsOf('folder'),
    documentIds: idsOf('document'),
  });
  const refused = grants.find(({ type, id }) =>
    resources.get(keyOf(type, id))?.keys.some((key) => deleting.has(key)),
  );
  if (refused) throw placeBeingDeleted(refused.type, refused.id);
}
