import type { KeyContext } from '../../api/context.ts';

export interface Person {
  userId: string;
}

/** The fields that users see of others. */
const VISIBLE_FIELDS = ['userId', 'name', 'initial', 'photoUrl'];

/**
 * Returns the fields of a user that a caller may see; no other code decides this. API keys see all fields.
 * Users see all of their own fields, but neither the email address nor the metadata of others. The hidden
 * fields are optional, so the result has the same type.
 */
export function showPerson<Shown extends Person>(
  { userId }: Pick<KeyContext, 'userId'>,
  person: Shown,
): Shown {
  if (userId === undefined || person.userId === userId) return person;
  const shown = Object.entries(person).filter(([field]) => VISIBLE_FIELDS.includes(field));
  return Object.fromEntries(shown) as unknown as Shown;
}
