const SHORTEST = 4;
const LONGEST = 24;

/**
 * Whether a word may be a misspelling. Words with digits are not: another number is another thing.
 */
export function canBeMisspelt(word: string): boolean {
  const { length } = [...word];
  return length >= SHORTEST && length <= LONGEST && !/\p{N}/u.test(word);
}

const LETTERS = 'abcdefghijklmnopqrstuvwxyz';

/**
 * Maps each letter of a word to an ASCII letter, since PostgreSQL makes trigrams only of letters of
 * its locale. Different letters may be mapped to one, so the result finds candidates only.
 */
export const asciiOf = (word: string): string =>
  [...word]
    .map((letter) => (/[a-z]/.test(letter) ? letter : LETTERS[(letter.codePointAt(0) ?? 0) % 26]))
    .join('');

/**
 * A lower threshold would find any word with the same beginning. It misses a few misspellings of
 * words of four or five letters.
 */
const LEAST = 0.15;

/**
 * The least trigram similarity of a word and a misspelling by one letter. A swapped letter changes
 * up to five trigrams, and more if some occur twice.
 */
export function leastSimilarity(word: string): number {
  const { length } = [...word];
  return Math.max(LEAST, (0.9 * (length - 4)) / (length + 6));
}

/**
 * Whether two words differ by one letter that is wrong, missing, surplus or in another position.
 */
export function isMisspelling(word: string, other: string): boolean {
  const [longer, shorter] = [[...word], [...other]].sort((a, b) => b.length - a.length);
  if (!longer || !shorter || longer.length - shorter.length > 1) return false;
  let start = 0;
  while (start < shorter.length && longer[start] === shorter[start]) start += 1;
  let end = 0;
  while (end < shorter.length - start && longer.at(-1 - end) === shorter.at(-1 - end)) end += 1;
  const [one, two] = [longer, shorter].map((letters) => letters.slice(start, letters.length - end));
  if (!one || !two || longer.length > shorter.length) return one?.length === 1;
  const isMoved = (from: string[], to: string[]) => from.slice(1).join() === to.slice(0, -1).join();
  return isMoved(one, two) || isMoved(two, one);
}
