/** Endings, longest first, each with what must be left of the word. */
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
 * Cuts English endings off, so that "approved", "approval" and "approves" are one word. Rough on
 * purpose: two words that become one here are told apart by the words around them.
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
  // "shipping" as "ship"; "billing" and "bill" both end in two.
  return /([bdgmnprt])\1$/.test(cut) ? cut.slice(0, -1) : cut;
}
