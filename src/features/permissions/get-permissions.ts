import type { KeyContext } from '../../api/context.ts';
import { unixSeconds } from '../../platform/clock.ts';
import { AppError } from '../../platform/errors.ts';
import { preserialize } from '../../platform/json.ts';
import { type Grant, isActive } from '../access/access.ts';
import { type AccessFacts, loadAccess } from '../access/load-access.ts';
import type { Resource } from '../access/load-resources.ts';
import { requireOwnUser } from '../access/own-user.ts';
import { missingMessage, presentAccess } from './present-access.ts';
import type { PermissionEntry, UserPermissions } from './schema.ts';

interface PermissionsQuery {
  organizationId: string;
  userIds: string[];
  folderIds: string[];
  documentIds: string[];
}

/**
 * Returns the permissions of users on an organization and some of its folders and documents
 * (specification 4.2).
 *
 * @throws NOT_FOUND for API keys if the organization, a folder or a document does not exist. The details
 * are the result, in which each missing resource has an error.
 */
export async function getPermissions(ctx: KeyContext, query: PermissionsQuery) {
  const isForUser = ctx.userId !== undefined;
  for (const userId of query.userIds) requireOwnUser(ctx, userId);
  const facts = await loadAccess(ctx.db, { ...query, tenantId: ctx.tenantId });
  const requested: Requested = {
    organizationId: query.organizationId,
    folders: lookUp(facts, 'folder', query.folderIds),
    documents: lookUp(facts, 'document', query.documentIds),
    now: unixSeconds(ctx.clock),
    isForUser,
  };
  // Most users of an organization have the same grants, so the permissions are computed once for equal grants.
  const byGrants = new Map<string, UserPermissions>();
  const permissions: Record<string, UserPermissions> = {};
  for (const userId of query.userIds) {
    const grants = facts.grantsKey(userId);
    const ofUser = byGrants.get(grants) ?? preserialize(permissionsOf(facts, requested, userId));
    byGrants.set(grants, ofUser);
    permissions[userId] = ofUser;
  }
  const message = isForUser ? undefined : messageAboutMissing(facts, requested);
  if (message) throw new AppError('NOT_FOUND', message, { details: permissions });
  return permissions;
}

/** The requested resources, looked up once for all users. */
interface Requested {
  organizationId: string;
  folders: Map<string, Resource | undefined>;
  documents: Map<string, Resource | undefined>;
  /** Unix seconds */
  now: number;
  /** Whether the caller is a user, who must not find out which resources exist. */
  isForUser: boolean;
}

const lookUp = (facts: AccessFacts, type: 'folder' | 'document', ids: string[]) =>
  new Map(ids.map((id) => [id, facts.resource(type, id)]));

function permissionsOf(facts: AccessFacts, requested: Requested, userId: string): UserPermissions {
  const { organizationId, folders, documents, now, isForUser } = requested;
  const entries = (resources: Requested['folders'], kind: 'folder' | 'document') => {
    const byId: Record<string, PermissionEntry> = {};
    for (const [id, resource] of resources) {
      byId[id] = presentAccess(facts.accessToResource(resource, userId, now), kind, { isForUser });
    }
    return byId;
  };
  const organization = facts.accessToPlace({ organizationId }, userId, now);
  const activeGrants = facts.grantsOf(userId).filter((grant) => isActive(grant, now));
  const accessFields = accessFieldsOf(activeGrants);
  return {
    ...(folders.size > 0 && { folders: entries(folders, 'folder') }),
    ...(documents.size > 0 && { documents: entries(documents, 'document') }),
    organization: { [organizationId]: presentAccess(organization, 'organization', { isForUser }) },
    ...(accessFields.length > 0 && { context: { accessFields } }),
  };
}

/** Returns `field:value` for every value in the user's grants, sorted. */
function accessFieldsOf(grants: Grant[]): string[] {
  const fields = grants.flatMap(({ context }) =>
    Object.entries(context ?? {}).flatMap(([field, values]) =>
      values.map((value) => `${field}:${value}`),
    ),
  );
  return [...new Set(fields)].sort();
}

/** Returns a message that names the kind of a missing resource; undefined if all of them exist. */
function messageAboutMissing(
  facts: AccessFacts,
  { folders, documents }: Requested,
): string | undefined {
  if (!facts.organizationExists) return missingMessage('organization');
  if ([...folders.values()].includes(undefined)) return missingMessage('folder');
  if ([...documents.values()].includes(undefined)) return missingMessage('document');
  return undefined;
}
