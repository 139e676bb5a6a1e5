import { type Sql, sql } from '../../platform/database/database.ts';
import { type Grant, isActive } from './access.ts';
import type { AccessFacts } from './load-access.ts';

/** The access that an item requires: the user must hold at least one value of each field. */
export type AccessContext = Record<string, string[]>;

/** SQL: whether a column is null or an access context. In imported rows it may be anything. */
export const isAccessContext = (column: Sql): Sql => sql`
  (${column} IS NULL OR jsonb_typeof(${column}) = 'object'
    AND NOT jsonb_path_exists(${column}, 'strict $.* ? (@.type() <> "array")'))`;

/**
 * Whether a user holds at least one value of every field of a context. The values that users hold come from the user's
 * active grants on the document, the folders above it, and the organization.
 *
 * @param now Unix seconds
 */
export function holdsContext(
  facts: AccessFacts,
  user: { userId: string; documentId: string },
  context: AccessContext,
  now: number,
): boolean {
  const grants = facts.grantsOn(user.userId, facts.resource('document', user.documentId));
  const active = grants.filter((grant) => isActive(grant, now));
  return Object.entries(context).every(([field, values]) => active.some(holdsOneOf(field, values)));
}

const holdsOneOf =
  (field: string, values: string[]) =>
  ({ context }: Grant): boolean =>
    context !== null &&
    Object.hasOwn(context, field) &&
    (context[field] ?? []).some((value) => values.includes(value));
