/** The most judgments that are read and compared. Further ones would take time and be less similar. */
export const MAX_CANDIDATES = 1_000;
/** The most judgments that combinations may match, because all matches are sorted before the limit. */
const MAX_COMBINED_MATCHES = 5_000;
/**
 * Words that occur in more judgments than this are not combined, since a search would read all index entries
 * of such a word.
 */
const MAX_ENTRIES = 150_000;
/** The most words that are combined. */
const MAX_COMBINED_WORDS = 5;
/** The factor by which two words are assumed to occur together more often than by chance. */
const COOCCURRENCE = 5;

/**
 * Plans a search by the rare words of a query, which find similar items at low cost. Frequent words
 * are combined, since few judgments contain several of them. A plan reads a bounded number of rows,
 * whatever the words and the number of judgments, and equal counts give the same plan.
 *
 * @param counts in how many judgments each known word occurs, by its key
 * @param total the number of judgments
 * @returns searches in PostgreSQL's syntax, each for one word, or for one word together with any of
 * several others. A judgment is compared if it matches one of them. None if every word is too frequent.
 */
export function planSearches(counts: ReadonlyMap<string, number>, total: number): string[] {
  const words = [...counts].sort(([a, one], [b, other]) => one - other || (a < b ? -1 : 1));
  let read = 0;
  const rare = words.filter(([, count]) => {
    read += count;
    return read <= MAX_CANDIDATES;
  });
  const frequent = words
    .slice(rare.length)
    .filter(([, count]) => count <= MAX_ENTRIES)
    .slice(0, MAX_COMBINED_WORDS);
  let matched = 0;
  const combinations = frequent.flatMap(([key, count], index) => {
    const others = frequent.slice(index + 1).filter(([, other]) => {
      matched += count * Math.min(1, (COOCCURRENCE * other) / total);
      return matched <= MAX_COMBINED_MATCHES;
    });
    return others.length === 0 ? [] : [`'${key}' & (${others.map(quoted).join(' | ')})`];
  });
  return [...rare.map(quoted), ...combinations];
}

const quoted = ([key]: [key: string, count: number]): string => `'${key}'`;
