import type { KeyContext } from '../../api/context.ts';

/** A user object, stored or composed from known fields. */
export interface Person {
  userId: string;
}

/** The fields that users see of others (decisions section 3). */
const SHOWN = ['userId', 'name', 'initial', 'photoUrl'];

/**
 * Decides what a caller sees of people; no other code does. API keys see all fields, and so do
 * users of themselves. Of others, users see the identity, but no address or metadata.
 *
 * Hidden fields are optional, so the result has the same type.
 */
export function showPerson<Shown extends Person>(
  { userId }: Pick<KeyContext, 'userId'>,
  person: Shown,
): Shown {
  if (userId === undefined || person.userId === userId) return person;
  const shown = Object.entries(person).filter(([field]) => SHOWN.includes(field));
  return Object.fromEntries(shown) as unknown as Shown;
}
