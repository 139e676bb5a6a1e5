import type { KeyContext } from '../../api/context.ts';
import { unixSeconds } from '../../platform/clock.ts';
import { AppError } from '../../platform/errors.ts';
import { type Access, counts, type Grant } from './access.ts';
import { type AccessFacts, loadAccess } from './load-access.ts';
import type { PermissionEntry, UserPermissions } from './schema.ts';

interface PermissionsQuery {
  organizationId: string;
  userIds: string[];
  folderIds: string[];
  documentIds: string[];
}

/**
 * The permissions of users on an organization and some of its folders and documents (4.2).
 *
 * @throws NOT_FOUND when the organization, a folder or a document does not exist; its details hold
 * the same structure, in which the missing ones say so.
 */
export async function getPermissions(
  ctx: KeyContext,
  query: PermissionsQuery,
): Promise<Record<string, UserPermissions>> {
  const facts = await loadAccess(ctx.db, { ...query, tenantId: ctx.tenantId });
  const now = unixSeconds(ctx.clock);
  const permissions = Object.fromEntries(
    query.userIds.map((userId) => [userId, permissionsOf(facts, query, userId, now)]),
  );
  const missing = firstMissing(facts, query, now);
  if (missing) throw new AppError('NOT_FOUND', missing, { details: permissions });
  return permissions;
}

function permissionsOf(
  facts: AccessFacts,
  { organizationId, folderIds, documentIds }: PermissionsQuery,
  userId: string,
  now: number,
): UserPermissions {
  const entries = (ids: string[], decide: (id: string) => Access | undefined, kind: string) =>
    Object.fromEntries(ids.map((id) => [id, toEntry(decide(id), kind)]));
  const organization = facts.organizationExists ? facts.organization(userId, now) : undefined;
  const accessFields = accessFieldsOf(facts.grantsOf(userId).filter((grant) => counts(grant, now)));
  return {
    ...(folderIds.length > 0 && {
      folders: entries(folderIds, (id) => facts.folder(userId, id, now), 'folder'),
    }),
    ...(documentIds.length > 0 && {
      documents: entries(documentIds, (id) => facts.document(userId, id, now), 'document'),
    }),
    organization: { [organizationId]: toEntry(organization, 'organization') },
    ...(accessFields.length > 0 && { context: { accessFields } }),
  };
}

function toEntry(access: Access | undefined, kind: string): PermissionEntry {
  if (!access) return { error: doesNotExist(kind), errorCode: 'does_not_exist' };
  const { accessType } = access;
  if (!access.allowed) {
    const error = `The user has no access to this ${kind}.`;
    return { error, errorCode: 'permission_denied', accessType };
  }
  const expiresAt = access.grant?.expiresAt;
  return { accessRole: access.accessRole, accessType, ...(expiresAt != null && { expiresAt }) };
}

const doesNotExist = (kind: string) =>
  `${kind.charAt(0).toUpperCase()}${kind.slice(1)} does not exist.`;

/** `field:value` for every value that the user's grants hold, sorted. */
function accessFieldsOf(grants: Grant[]): string[] {
  const fields = grants.flatMap(({ context }) =>
    Object.entries(context ?? {}).flatMap(([field, values]) =>
      values.map((value) => `${field}:${value}`),
    ),
  );
  return [...new Set(fields)].sort();
}

function firstMissing(facts: AccessFacts, query: PermissionsQuery, now: number) {
  if (!facts.organizationExists) return doesNotExist('organization');
  if (query.folderIds.some((id) => !facts.folder('', id, now))) return doesNotExist('folder');
  if (query.documentIds.some((id) => !facts.document('', id, now))) return doesNotExist('document');
  return undefined;
}
