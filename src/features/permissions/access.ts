import type { AccessRole, AccessType } from '../../api/fields.ts';

/**
 * Who may do what (decisions section 4), as a pure function over loaded facts. Every part of the
 * product asks this one.
 */

/** A role that was given on one resource. */
export interface Grant {
  accessRole: AccessRole;
  /** Unix seconds; at or past it the grant does not count. Null: it stays. */
  expiresAt: number | null;
  /** The access context: the values that the user holds, by field. */
  context: Record<string, string[]> | null;
}

/** A place that a grant can stand on, nearest first: document, folders upwards. */
export interface ResourcePath {
  accessType: AccessType;
  /** The user's grants on the resource and the folders above it; absent ones are undefined. */
  grants: Array<Grant | undefined>;
  organizationGrant: Grant | undefined;
}

export type Access =
  | { allowed: true; accessRole: AccessRole; accessType: AccessType; grant: Grant | undefined }
  | { allowed: false; accessType: AccessType };

/** Access to a document or folder. `now` is in Unix seconds. */
export function decideAccess(path: ResourcePath, now: number): Access {
  const { accessType } = path;
  // A restricted resource is closed to those who were only added to the organization.
  const fromOrganization = accessType === 'restricted' ? undefined : path.organizationGrant;
  const nearest = [...path.grants, fromOrganization].find((grant) => counts(grant, now));
  if (nearest) {
    return { allowed: true, accessRole: nearest.accessRole, accessType, grant: nearest };
  }
  return accessType === 'public'
    ? { allowed: true, accessRole: 'viewer', accessType, grant: undefined }
    : { allowed: false, accessType };
}

/** Access to the organization itself: only by a grant on it. */
export function decideOrganizationAccess(grant: Grant | undefined, now: number): Access {
  const accessType = 'organizationPrivate';
  return counts(grant, now) && grant
    ? { allowed: true, accessRole: grant.accessRole, accessType, grant }
    : { allowed: false, accessType };
}

export const counts = (grant: Grant | undefined, now: number): boolean =>
  grant !== undefined && (grant.expiresAt === null || now < grant.expiresAt);

/**
 * The type that counts for a folder: its own, else that of the nearest folder above that has one,
 * else `public`.
 */
export const effectiveType = (
  chain: ReadonlyArray<{ accessType: AccessType | null }>,
): AccessType => chain.find((folder) => folder.accessType !== null)?.accessType ?? 'public';
