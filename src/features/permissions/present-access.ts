import type { Access } from '../access/access.ts';
import type { ResourceRef } from '../access/places.ts';
import type { PermissionEntry } from './schema.ts';

/** Presents a permission entry (specification 2.10). The access is undefined if the resource does not exist. */
export function presentAccess(
  access: Access | undefined,
  kind: ResourceRef['type'],
  { isForUser = false }: { isForUser?: boolean } = {},
): PermissionEntry {
  // Users must not find out whether a resource exists that they may not see.
  if (isForUser && !access?.allowed) {
    return { error: NO_ACCESS[kind], errorCode: 'permission_denied' };
  }
  if (!access) return { error: missingMessage(kind), errorCode: 'does_not_exist' };
  const { accessType } = access;
  if (!access.allowed) {
    return { error: NO_ACCESS[kind], errorCode: 'permission_denied', accessType };
  }
  const entry: PermissionEntry = { accessRole: access.accessRole, accessType };
  const expiresAt = access.grant?.expiresAt;
  if (expiresAt != null) entry.expiresAt = expiresAt;
  if (access.viewersMayComment && access.accessRole === 'viewer') entry.canComment = true;
  return entry;
}

/** These messages are created once, since a response may contain 100,000 of them. */
const NO_ACCESS: Record<ResourceRef['type'], string> = {
  organization: 'The user has no access to this organization.',
  folder: 'The user has no access to this folder.',
  document: 'The user has no access to this document.',
};

export const missingMessage = (kind: ResourceRef['type']): string =>
  `${kind.charAt(0).toUpperCase()}${kind.slice(1)} does not exist.`;
