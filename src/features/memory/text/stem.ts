/** Endings, the longest first, each with the fewest letters that must remain. */
const ENDINGS: Array<[ending: string, left: number]> = [
  ['ization', 3],
  ['ations', 4],
  ['ation', 4],
  ['ments', 3],
  ['ment', 3],
  ['ness', 3],
  ['able', 4],
  ['ions', 4],
  ['ally', 4],
  ['ing', 3],
  ['ion', 4],
  ['als', 4],
  ['ers', 4],
  ['ed', 3],
  ['al', 4],
  ['er', 4],
  ['ly', 4],
  ['es', 4],
  ['e', 3],
  ['s', 3],
];

/**
 * Removes English endings, so that "approved", "approval" and "approves" are one word. Two
 * different words may get the same stem; the other words of a text then make the difference.
 */
export function stem(word: string): string {
  if (word.length < 4 || !/^[a-z]+$/.test(word)) return word;
  const base = word.endsWith('ies') ? `${word.slice(0, -3)}y` : word;
  if (/(?:ss|us|is)$/.test(base)) return base;
  const found = ENDINGS.find(
    ([ending, left]) => base.endsWith(ending) && base.length - ending.length >= left,
  );
  if (!found) return base;
  const cut = base.slice(0, -found[0].length);
  // "shipping" becomes "ship", but "billing" becomes "bill".
  return /([bdgmnprt])\1$/.test(cut) ? cut.slice(0, -1) : cut;
}
