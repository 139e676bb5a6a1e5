import type { AccessFacts } from '../../access/load-access.ts';
import { hidingStepOnDocument, type OnDocument } from '../../access/on-document.ts';
import type { Visibility } from '../annotation-row.ts';

/** The fields of an annotation that decide who may see it. */
export interface AnnotationAccess extends OnDocument {
  authorId: string;
  visibility: Visibility;
}

interface VisibilityFacts {
  /** The facts of the organization to which the annotation belongs. */
  access: AccessFacts;
  /** The facts of each organization to which an annotation may be private. */
  organizations: ReadonlyMap<string, AccessFacts>;
}

/** The steps of the rule, in their order. */
export const VISIBILITY_STEPS = ['document', 'context', 'visibility'] as const;
export type VisibilityStep = (typeof VISIBILITY_STEPS)[number];

/**
 * The rule: returns the first step that hides an annotation from a user, or undefined if the user may
 * see it. API keys see everything and are not checked. A user sees an annotation when all of this holds:
 *
 * 1. The user may view its document.
 * 2. For each field of its access context, the user holds one of the values on that document.
 * 3. Its visibility includes the user.
 *
 * Being mentioned, assigned or subscribed does not reveal what the rule hides. `visibleTo` in
 * rule-sql.ts is the same rule in SQL, and a property test keeps the two equal.
 *
 * @param now Unix seconds
 */
export function hidingStep(
  facts: VisibilityFacts,
  annotation: AnnotationAccess,
  userId: string,
  now: number,
): VisibilityStep | undefined {
  const hidden = hidingStepOnDocument(facts.access, annotation, userId, now);
  if (hidden !== undefined) return hidden;
  return isIncluded(facts, annotation, userId, now) ? undefined : 'visibility';
}

/** Whether the visibility includes the user. It always includes the author. */
function isIncluded(
  facts: VisibilityFacts,
  { authorId, visibility }: AnnotationAccess,
  userId: string,
  now: number,
): boolean {
  if (userId === authorId) return true;
  switch (visibility.type) {
    case 'public':
      return true;
    case 'restricted':
      return visibility.userIds?.includes(userId) ?? false;
    case 'organizationPrivate': {
      const { organizationId = '' } = visibility;
      const access = facts.organizations.get(organizationId);
      return access?.accessToPlace({ organizationId }, userId, now)?.allowed === true;
    }
  }
}
