/** A quote, and the characters around it. */
export interface Quoted {
  quote: string;
  before: string;
  after: string;
}

/** A match counts only if this many characters of quote and context agree, or all of them if there are fewer. */
const MIN_EVIDENCE = 16;

/**
 * The offsets of a quote in a text, including overlapping ones. The algorithm of Knuth, Morris and
 * Pratt takes linear time; `indexOf` takes seconds for some texts of 1 MB.
 */
export function* offsetsOf(quote: string, content: string): Generator<number> {
  if (quote === '' || quote.length > content.length) return;
  const borders = bordersOf(quote);
  let matched = 0;
  for (let at = 0; at < content.length; at++) {
    while (matched > 0 && content[at] !== quote[matched]) matched = borders[matched - 1] ?? 0;
    if (content[at] === quote[matched]) matched++;
    if (matched < quote.length) continue;
    yield at + 1 - matched;
    matched = borders[matched - 1] ?? 0;
  }
}

/** For each prefix of the quote: the length of its longest proper prefix that is also its suffix. */
function bordersOf(quote: string): Int32Array {
  const borders = new Int32Array(quote.length);
  let length = 0;
  for (let at = 1; at < quote.length; at++) {
    while (length > 0 && quote[at] !== quote[length]) length = borders[length - 1] ?? 0;
    if (quote[at] === quote[length]) length++;
    borders[at] = length;
  }
  return borders;
}

/**
 * Finds the one best match of a quote in texts, by the characters around it.
 *
 * @returns undefined if there is no match, or if two matches are equally good
 */
export function findQuote(
  contents: readonly string[],
  quoted: Quoted,
): { textIndex: number; offset: number } | undefined {
  const { quote, before, after } = quoted;
  const needed = Math.min(MIN_EVIDENCE, before.length + quote.length + after.length);
  let best: { textIndex: number; offset: number; evidence: number; isUnique: boolean } | undefined;
  for (const [textIndex, content] of contents.entries()) {
    for (const offset of offsetsOf(quote, content)) {
      const evidence = evidenceAt(content, offset, quoted);
      if (evidence < needed || evidence < (best?.evidence ?? 0)) continue;
      best = { textIndex, offset, evidence, isUnique: evidence !== best?.evidence };
    }
  }
  return best?.isUnique ? best : undefined;
}

/** How many characters agree: those of the match itself, and matching ones around it. */
function evidenceAt(content: string, offset: number, { quote, before, after }: Quoted): number {
  const end = offset + quote.length;
  let left = 0;
  let right = 0;
  while (left < before.length && content[offset - 1 - left] === before[before.length - 1 - left]) {
    left++;
  }
  while (right < after.length && content[end + right] === after[right]) right++;
  return quote.length + left + right;
}
