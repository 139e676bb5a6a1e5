import type { KeyContext } from '../../api/context.ts';

export interface Person {
  userId: string;
}

/** The fields that users see of others. */
const SHOWN = ['userId', 'name', 'initial', 'photoUrl'];

/**
 * Returns the fields of a person that a caller may see; no other code decides this. API keys see all
 * fields. Users see all fields of themselves, but of others neither the e-mail address nor metadata.
 * The hidden fields are optional, so the result has the same type.
 */
export function showPerson<Shown extends Person>(
  { userId }: Pick<KeyContext, 'userId'>,
  person: Shown,
): Shown {
  if (userId === undefined || person.userId === userId) return person;
  const shown = Object.entries(person).filter(([field]) => SHOWN.includes(field));
  return Object.fromEntries(shown) as unknown as Shown;
}
