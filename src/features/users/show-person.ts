import type { KeyContext } from '../../api/context.ts';

/** A user object, as it is stored or made of what is known. */
export interface Person {
  userId: string;
}

/** What users are shown of other people (decisions section 3). */
const SHOWN = ['userId', 'name', 'initial', 'photoUrl'];

/**
 * The one place that decides what a caller is shown of people. API keys see everything that is
 * known, and so do users of themselves; of others they see who it is, and no address or metadata.
 *
 * The fields that stay away are optional, so what is shown has the type of the whole.
 */
export function showPerson<Shown extends Person>(
  { userId }: Pick<KeyContext, 'userId'>,
  person: Shown,
): Shown {
  if (userId === undefined || person.userId === userId) return person;
  const shown = Object.entries(person).filter(([field]) => SHOWN.includes(field));
  return Object.fromEntries(shown) as unknown as Shown;
}
