import type { AccessRole, AccessType } from '../../api/fields.ts';

/**
 * Who may do what (decisions section 4), as a pure function over loaded facts. Every part of the
 * product asks this one, and `permissions/explain` shows the steps that it took.
 */

/** A role that was given on one resource. */
export interface Grant {
  accessRole: AccessRole;
  /** Unix seconds; at or past it the grant does not count. Null: it stays. */
  expiresAt: number | null;
  /** The access context: the values that the user holds, by field. */
  context: Record<string, string[]> | null;
}

/** What decides about one document or folder for one user. */
export interface ResourcePath {
  accessType: AccessType;
  /** The user's grants on it and on the folders above it, nearest first; undefined: none there. */
  grants: ReadonlyArray<Grant | undefined>;
  organizationGrant: Grant | undefined;
}

export type Access =
  | { allowed: true; accessRole: AccessRole; accessType: AccessType; grant: Grant | undefined }
  | { allowed: false; accessType: AccessType };

/**
 * What a look at one place found: no grant; one past its end; one on the organization, from which a
 * restricted resource is shut off; or the grant that decides.
 */
export type Verdict = 'absent' | 'expired' | 'restricted' | 'decides';

/** A step to a decision. The position is that in `grants`; one past its end is the organization. */
export interface Look {
  position: number;
  grant: Grant | undefined;
  verdict: Verdict;
}

/**
 * Access to a document or folder. `now` is in Unix seconds. `note` is told of each look in turn, so
 * that what is explained is what was decided.
 */
export function decideAccess(
  { accessType, grants, organizationGrant }: ResourcePath,
  now: number,
  note?: (look: Look) => void,
): Access {
  for (let position = 0; position <= grants.length; position++) {
    const onOrganization = position === grants.length;
    const grant = onOrganization ? organizationGrant : grants[position];
    const verdict = judge(grant, onOrganization && accessType === 'restricted', now);
    note?.({ position, grant, verdict });
    if (grant && verdict === 'decides') {
      return { allowed: true, accessRole: grant.accessRole, accessType, grant };
    }
  }
  return accessType === 'public'
    ? { allowed: true, accessRole: 'viewer', accessType, grant: undefined }
    : { allowed: false, accessType };
}

function judge(grant: Grant | undefined, isShutOff: boolean, now: number): Verdict {
  if (!grant) return 'absent';
  if (!isActive(grant, now)) return 'expired';
  // A restricted resource is closed to those who were only added to the organization.
  return isShutOff ? 'restricted' : 'decides';
}

/** Access to the organization itself: only by a grant on it. */
export const decideOrganizationAccess = (
  grant: Grant | undefined,
  now: number,
  note?: (look: Look) => void,
): Access =>
  decideAccess(
    { accessType: 'organizationPrivate', grants: [], organizationGrant: grant },
    now,
    note,
  );

/** Whether a grant has not reached its end; `isActiveGrant` says the same in SQL. */
export const isActive = (grant: Grant, now: number): boolean =>
  grant.expiresAt === null || now < grant.expiresAt;

const ROLE_RANK: Record<AccessRole, number> = { viewer: 0, editor: 1 };

/** Whether this access is enough for what needs the role. Undefined: there is no such resource. */
export const allows = (access: Access | undefined, role: AccessRole): boolean =>
  access?.allowed === true && ROLE_RANK[access.accessRole] >= ROLE_RANK[role];

/** The folder whose type counts for the first one of a chain: itself, else the nearest above. */
export const typeSource = <Folder extends { accessType: AccessType | null }>(
  chain: readonly Folder[],
): Folder | undefined => chain.find((folder) => folder.accessType !== null);

/** The type that counts for a folder; `public` where no folder up to the root has one. */
export const effectiveType = (
  chain: ReadonlyArray<{ accessType: AccessType | null }>,
): AccessType => typeSource(chain)?.accessType ?? 'public';
