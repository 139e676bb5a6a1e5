import type { AccessRole, AccessType, CommentAccess, NeededRole } from '../../api/fields.ts';

/** A role on one resource. */
export interface Grant {
  accessRole: AccessRole;
  /** Unix seconds; at this time the grant expires. Null: never. */
  expiresAt: number | null;
  /** The access context: the values that the user holds, by field. */
  context: Record<string, string[]> | null;
}

/** The facts that decide about one user's access to one document or folder. */
interface DecisionFacts {
  accessType: AccessType;
  /** The user's grant on the resource and on each folder above it, nearest first; undefined where there is none. */
  grants: ReadonlyArray<Grant | undefined>;
  organizationGrant: Grant | undefined;
  /** The users who may comment. Absent: editors. */
  commentAccess?: CommentAccess | undefined;
}

export type Access =
  | {
      allowed: true;
      accessRole: AccessRole;
      accessType: AccessType;
      grant: Grant | undefined;
      /** Set if viewers may comment here, and not only editors. */
      viewersMayComment?: true;
    }
  | { allowed: false; accessType: AccessType };

/**
 * The result of one step. `absent`: there is no grant here. `expired`: the grant has expired.
 * `restricted`: a grant on the organization does not give access to a restricted resource. `decides`: the
 * grant gives access, and no further step follows.
 */
export type Verdict = 'absent' | 'expired' | 'restricted' | 'decides';

export interface DecisionStep {
  /** An index of `grants`; the index after the last one stands for the organization. */
  position: number;
  grant: Grant | undefined;
  verdict: Verdict;
}

/**
 * Decides about access to a document or folder, for every part of the product. `onStep` receives each step of
 * the decision, which `permissions/explain` shows.
 *
 * @param now Unix seconds
 */
export function decideAccess(
  { accessType, grants, organizationGrant, commentAccess }: DecisionFacts,
  now: number,
  onStep?: (step: DecisionStep) => void,
): Access {
  const comments = commentAccess === 'viewers' ? { viewersMayComment: true as const } : {};
  for (let position = 0; position <= grants.length; position++) {
    const onOrganization = position === grants.length;
    const grant = onOrganization ? organizationGrant : grants[position];
    const verdict = judge(grant, onOrganization && accessType === 'restricted', now);
    onStep?.({ position, grant, verdict });
    if (grant && verdict === 'decides') {
      return { allowed: true, accessRole: grant.accessRole, accessType, grant, ...comments };
    }
  }
  return accessType === 'public'
    ? { allowed: true, accessRole: 'viewer', accessType, grant: undefined, ...comments }
    : { allowed: false, accessType };
}

function judge(grant: Grant | undefined, excludesOrganization: boolean, now: number): Verdict {
  if (!grant) return 'absent';
  if (!isActive(grant, now)) return 'expired';
  return excludesOrganization ? 'restricted' : 'decides';
}

/** Whether a grant has not expired at `now`, in Unix seconds. `isActiveGrant` is the same in SQL. */
export const isActive = (grant: Grant, now: number): boolean =>
  grant.expiresAt === null || now < grant.expiresAt;

/** Whether the access includes the role. The access is undefined if the resource does not exist. */
export function allows(access: Access | undefined, role: NeededRole): boolean {
  if (!access?.allowed) return false;
  if (access.accessRole === 'editor' || role === 'viewer') return true;
  return role === 'commenter' && access.viewersMayComment === true;
}

/** Returns the nearest folder of a chain that has an access type of its own. */
export const typeSource = <Folder extends { accessType: AccessType | null }>(
  chain: readonly Folder[],
): Folder | undefined => chain.find((folder) => folder.accessType !== null);

/** The effective type of a folder; `public` where no folder up to the root has a type. */
export const effectiveType = (
  chain: ReadonlyArray<{ accessType: AccessType | null }>,
): AccessType => typeSource(chain)?.accessType ?? 'public';
