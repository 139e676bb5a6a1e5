import { type Grant, isActive } from './access.ts';
import type { AccessFacts } from './load-access.ts';

/** What is to be held to see something: for every field, one of its values. */
export type AccessContext = Record<string, string[]>;

/**
 * Whether a user holds, for every field of a context, one of its values (decisions section 4). What
 * a user holds stands on the grants that count: on the document, the folders above it, and the
 * organization.
 */
export function holdsContext(
  facts: AccessFacts,
  user: { userId: string; documentId: string },
  context: AccessContext,
  now: number,
): boolean {
  const grants = facts.grantsOn(user.userId, facts.resource('document', user.documentId));
  const held = grants.filter((grant) => isActive(grant, now));
  return Object.entries(context).every(([field, values]) => held.some(holdsOneOf(field, values)));
}

const holdsOneOf =
  (field: string, values: string[]) =>
  ({ context }: Grant): boolean =>
    context !== null &&
    Object.hasOwn(context, field) &&
    (context[field] ?? []).some((value) => values.includes(value));
