import { hash } from 'node:crypto';

/**
 * What stands for a word in the indexes: 64 bits of a hash of tenant, organization and word. So a
 * range of the index belongs to one tenant although the index knows no tenants, and a word that is
 * frequent with others costs nothing. As text: JavaScript's numbers are too short.
 */
export const termKey = (tenantId: string, organizationId: string | null, word: string): string =>
  keyOf([tenantId, organizationId, word]);

/** Stands for all judgments in the vocabulary. */
export const ALL_WORDS = '';

/** The same for the same words, in any order. */
export const fingerprintOf = (words: string[]): string => keyOf(words.toSorted());

const SHORTEST_SPELLED = 4;
const LONGEST_SPELLED = 24;

/**
 * Keys of a word and of what is left when one letter is dropped. Two words of which one is the
 * other with a letter wrong, missing, too many or swapped have a key in common. Numbers have none:
 * another number is another thing.
 */
export function spellingKeys(tenantId: string, word: string): string[] {
  const letters = [...word];
  const { length } = letters;
  if (length < SHORTEST_SPELLED || length > LONGEST_SPELLED || /\p{N}/u.test(word)) return [];
  const shorter = letters.map((_, index) => letters.toSpliced(index, 1).join(''));
  const forms = [word, ...shorter];
  return [...new Set(forms)].map((form) => keyOf([tenantId, 'spelling', form]));
}

const keyOf = (parts: Array<string | null>): string =>
  hash('sha256', JSON.stringify(parts), 'buffer').readBigInt64BE().toString();
