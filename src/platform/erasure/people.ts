import type { Sql } from '../database/database.ts';
import { newId } from '../ids.ts';

/** Whether the content of erased users is kept as the content of a deleted user, or removed as well. */
export const CONTENTS = ['keep', 'remove'] as const;
export type Contents = (typeof CONTENTS)[number];

/** A user whose data is erased. */
export interface ErasedPerson {
  userId: string;
  /** The random replacement of the id, from which the id cannot be derived. */
  alias: string;
  /** Names and email addresses by which the person is known. */
  names: string[];
  /** The organizations on whose channels the erasure is published: those in the request, or all of the person's. */
  organizationIds: string[];
}

/** The most rows with names, and the most organizations, that are loaded for one user. */
export const MAX_KNOWN = 1_000;

/**
 * Subqueries that find names and organizations of the user `asked.user_id`, a column of the enclosing
 * query. Each feature adds those for its own tables.
 */
export interface PeopleQueries {
  /** Select names and email addresses as `name`. */
  names: Array<(tenantId: string) => Sql>;
  /** Select the `organization_id` of the user's organizations. */
  organizations: Array<(tenantId: string) => Sql>;
}

export const DELETED_USER = 'Deleted user';

export const newAlias = (): string => `erased-${newId()}`;

/** Whether an id looks like the alias of an erased user. */
export const isAlias = (userId: string): boolean => /^erased-[0-9A-Za-z]{20}$/.test(userId);

/** Whether an id is so distinctive that a text with it means this user, unlike an id such as "7" or "ada". */
export const isUnmistakable = (id: string): boolean => id.length >= 8 && /[^\p{L}\s]/u.test(id);
