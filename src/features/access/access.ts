import type { AccessRole, AccessType, CommentAccess, NeededRole } from '../../api/fields.ts';

/**
 * The decision about access (decisions section 4), as a pure function over loaded facts. Every part
 * of the product uses it, and `permissions/explain` shows its steps.
 */

/** A role on one resource. */
export interface Grant {
  accessRole: AccessRole;
  /** Unix seconds; at this time the grant expires. Null: never. */
  expiresAt: number | null;
  /** The access context: the values that the user holds, by field. */
  context: Record<string, string[]> | null;
}

/** The facts that decide about one document or folder for one user. */
export interface ResourcePath {
  accessType: AccessType;
  /** The user's grants on it and on the folders above it, nearest first; undefined: none there. */
  grants: ReadonlyArray<Grant | undefined>;
  organizationGrant: Grant | undefined;
  /** Absent: editors. */
  commentAccess?: CommentAccess | undefined;
}

export type Access =
  | {
      allowed: true;
      accessRole: AccessRole;
      accessType: AccessType;
      grant: Grant | undefined;
      /** Whether viewers may comment here. */
      opensComments?: true;
    }
  | { allowed: false; accessType: AccessType };

/**
 * The result of one step: no grant here; an expired one; one on the organization, which does not open
 * a restricted resource; or the grant that decides.
 */
export type Verdict = 'absent' | 'expired' | 'restricted' | 'decides';

/** One step of a decision. `position` is an index of `grants`; one past its end is the organization. */
export interface DecisionStep {
  position: number;
  grant: Grant | undefined;
  verdict: Verdict;
}

/**
 * Access to a document or folder. `now` is in Unix seconds. `note` is called with each step in turn,
 * so that an explanation shows the decision itself.
 */
export function decideAccess(
  { accessType, grants, organizationGrant, commentAccess }: ResourcePath,
  now: number,
  note?: (step: DecisionStep) => void,
): Access {
  const opening = commentAccess === 'viewers' ? { opensComments: true as const } : {};
  for (let position = 0; position <= grants.length; position++) {
    const onOrganization = position === grants.length;
    const grant = onOrganization ? organizationGrant : grants[position];
    const verdict = judge(grant, onOrganization && accessType === 'restricted', now);
    note?.({ position, grant, verdict });
    if (grant && verdict === 'decides') {
      return { allowed: true, accessRole: grant.accessRole, accessType, grant, ...opening };
    }
  }
  return accessType === 'public'
    ? { allowed: true, accessRole: 'viewer', accessType, grant: undefined, ...opening }
    : { allowed: false, accessType };
}

function judge(grant: Grant | undefined, excludesOrganization: boolean, now: number): Verdict {
  if (!grant) return 'absent';
  if (!isActive(grant, now)) return 'expired';
  // A grant on the organization does not open a restricted resource.
  return excludesOrganization ? 'restricted' : 'decides';
}

/** Access to the organization itself: only by a grant on it. */
export const decideOrganizationAccess = (
  grant: Grant | undefined,
  now: number,
  note?: (step: DecisionStep) => void,
): Access =>
  decideAccess(
    { accessType: 'organizationPrivate', grants: [], organizationGrant: grant },
    now,
    note,
  );

/** Whether a grant has not reached its end; `isActiveGrant` says the same in SQL. */
export const isActive = (grant: Grant, now: number): boolean =>
  grant.expiresAt === null || now < grant.expiresAt;

/** Whether the access includes the role. Undefined: there is no such resource. */
export function allows(access: Access | undefined, role: NeededRole): boolean {
  if (!access?.allowed) return false;
  if (access.accessRole === 'editor' || role === 'viewer') return true;
  return role === 'commenter' && access.opensComments === true;
}

/** The first folder of a chain, nearest first, that has an access type. */
export const typeSource = <Folder extends { accessType: AccessType | null }>(
  chain: readonly Folder[],
): Folder | undefined => chain.find((folder) => folder.accessType !== null);

/** The effective type of a folder; `public` where no folder up to the root has a type. */
export const effectiveType = (
  chain: ReadonlyArray<{ accessType: AccessType | null }>,
): AccessType => typeSource(chain)?.accessType ?? 'public';
