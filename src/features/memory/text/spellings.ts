const SHORTEST = 4;
const LONGEST = 24;

/** Words that may be misspelt ones. Numbers are none: another number is another thing. */
export function canBeMisspelt(word: string): boolean {
  const { length } = [...word];
  return length >= SHORTEST && length <= LONGEST && !/\p{N}/u.test(word);
}

const LETTERS = 'abcdefghijklmnopqrstuvwxyz';

/**
 * A word letter for letter in ASCII, since PostgreSQL makes trigrams of what its locale calls
 * letters. Different letters may become one: it is for finding words, not for telling them apart.
 */
export const asciiOf = (word: string): string =>
  [...word]
    .map((letter) => (/[a-z]/.test(letter) ? letter : LETTERS[(letter.codePointAt(0) ?? 0) % 26]))
    .join('');

/** Less would find any word that begins alike. A few misspellings of four or five letters are less. */
const LEAST = 0.15;

/**
 * How similar, by their trigrams, a word and one that is a letter away from it are at least: where
 * a letter stands in another place, five of them may be different; more where some occur twice.
 */
export function leastSimilarity(word: string): number {
  const { length } = [...word];
  return Math.max(LEAST, (0.9 * (length - 4)) / (length + 6));
}

/** Whether they are the same but for a letter: wrong, missing, too many or in another place. */
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
