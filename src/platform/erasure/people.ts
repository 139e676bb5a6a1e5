import { newId } from '../ids.ts';

/** What happens to what erased users wrote: it stays, from a deleted user, or goes too. */
export const CONTENTS = ['keep', 'remove'] as const;
export type Contents = (typeof CONTENTS)[number];

/** Somebody whose data is erased. */
export interface ErasedPerson {
  userId: string;
  /** Who what stays is from: random, so that nothing leads from it back to the id. */
  alias: string;
  /** Names and e-mail addresses that the person is known by. */
  names: string[];
  /** Where the erasure is told of: the organizations that it is limited to, or the person was in. */
  organizationIds: string[];
}

export const DELETED_USER = 'Deleted user';

export const newAlias = (): string => `erased-${newId()}`;

/** An id that is hardly anything else, wherever it stands: "7" and "ada" may be. */
export const isUnmistakable = (id: string): boolean => id.length >= 8 && /[^\p{L}\s]/u.test(id);
