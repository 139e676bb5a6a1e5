import type { Access } from './access.ts';
import type { PermissionEntry } from './schema.ts';

export type ResourceKind = 'organization' | 'folder' | 'document';

/** A permission entry (specification 2.10). Undefined: there is no such resource. */
export function presentAccess(access: Access | undefined, kind: ResourceKind): PermissionEntry {
  if (!access) return { error: doesNotExist(kind), errorCode: 'does_not_exist' };
  const { accessType } = access;
  if (!access.allowed) {
    const error = `The user has no access to this ${kind}.`;
    return { error, errorCode: 'permission_denied', accessType };
  }
  const entry: PermissionEntry = { accessRole: access.accessRole, accessType };
  const expiresAt = access.grant?.expiresAt;
  if (expiresAt != null) entry.expiresAt = expiresAt;
  return entry;
}

export const doesNotExist = (kind: ResourceKind): string =>
  `${kind.charAt(0).toUpperCase()}${kind.slice(1)} does not exist.`;
