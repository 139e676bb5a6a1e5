import { align, type Comparison, identityOf, type Pair, pairsOf } from '../align.ts';
import { diffSequences } from '../diff/diff-sequences.ts';
import { equalAndChangedRanges, type Hunk } from '../diff/hunk.ts';
import { isElement, isTextRun, type XmlNode } from './xml-tree.ts';

export interface NodeComparison extends Comparison {
  knownWords: NodeWords;
}

/** The most comparisons in a hunk. In larger hunks, nodes are paired by their names alone. */
const MAX_COMPARISONS = 2_500;
/** The cost of comparing two nodes, in steps of the budget. */
const STEPS_PER_COMPARISON = 20;

/**
 * Pairs the children that are kept, in order. Children match when they are equal or have the same
 * `id`. Between such matches, the most similar children of the same name are paired, so that a
 * changed paragraph is recognized next to a new one. Other children are deleted or inserted.
 */
export const alignNodes = (
  before: readonly XmlNode[],
  after: readonly XmlNode[],
  comparison: NodeComparison,
): Pair[] =>
  align(before, after, comparison, {
    identify,
    pairInside: (hunk) => pairsInside(before, after, hunk, comparison),
  });

/** The identity includes the name, since a node cannot change its name. */
function identify(node: XmlNode): string | undefined {
  const id = isElement(node) && identityOf(node.attributes);
  return id ? `${nameOf(node)} ${id}` : undefined;
}

const nameOf = (node: XmlNode): string =>
  isElement(node) ? `${node.kind ?? ''} ${node.name}` : '';

function pairsInside(
  before: readonly XmlNode[],
  after: readonly XmlNode[],
  hunk: Hunk,
  comparison: NodeComparison,
): Pair[] {
  const size = (hunk.aTo - hunk.aFrom) * (hunk.bTo - hunk.bFrom);
  if (size === 0) return [];
  const cost = size * STEPS_PER_COMPARISON;
  if (size > MAX_COMPARISONS || cost > comparison.budget.steps)
    return pairsByName(before, after, hunk, comparison);
  comparison.budget.steps -= cost;
  return pairsBySimilarity(before, after, hunk, comparison.knownWords);
}

function pairsByName(
  before: readonly XmlNode[],
  after: readonly XmlNode[],
  { aFrom, aTo, bFrom, bTo }: Hunk,
  { budget }: Comparison,
): Pair[] {
  const names = before.slice(aFrom, aTo).map(nameOf);
  const hunks = diffSequences(names, after.slice(bFrom, bTo).map(nameOf), budget);
  return [...equalAndChangedRanges(hunks, names.length)]
    .flatMap((range) => (range.isEqual ? pairsOf(range) : []))
    .map((pair) => ({ before: aFrom + pair.before, after: bFrom + pair.after }))
    .filter((pair) => mayPair(before[pair.before], after[pair.after]));
}

/** Returns the pairs, in order, with the greatest total similarity. */
function pairsBySimilarity(
  before: readonly XmlNode[],
  after: readonly XmlNode[],
  { aFrom, aTo, bFrom, bTo }: Hunk,
  knownWords: NodeWords,
): Pair[] {
  const width = bTo - bFrom + 1;
  const scores = new Float64Array((aTo - aFrom + 1) * width);
  const gains = new Float64Array(scores.length);
  const score = (a: number, b: number) => scores[(a - aFrom) * width + b - bFrom] ?? 0;
  for (let a = aTo - 1; a >= aFrom; a--) {
    for (let b = bTo - 1; b >= bFrom; b--) {
      const at = (a - aFrom) * width + b - bFrom;
      const gain = gainOf(before[a], after[b], knownWords);
      gains[at] = gain;
      const scoreOfPair = gain > 0 ? gain + score(a + 1, b + 1) : 0;
      scores[at] = Math.max(score(a + 1, b), score(a, b + 1), scoreOfPair);
    }
  }
  const pairs: Pair[] = [];
  let a = aFrom;
  let b = bFrom;
  while (a < aTo && b < bTo) {
    const gain = gains[(a - aFrom) * width + b - bFrom] ?? 0;
    if (gain > 0 && score(a, b) === gain + score(a + 1, b + 1))
      pairs.push({ before: a++, after: b++ });
    else if (score(a, b) === score(a + 1, b)) a++;
    else b++;
  }
  return pairs;
}

/** Returns how much better it is to change a node than to replace it: 0 if that is impossible. */
function gainOf(
  one: XmlNode | undefined,
  other: XmlNode | undefined,
  knownWords: NodeWords,
): number {
  if (!one || !other || !mayPair(one, other)) return 0;
  return 1 + 100 * similarity(one, other, knownWords);
}

/** A node with another `id` is another object, and must not continue the history of this one. */
function mayPair(one: XmlNode | undefined, other: XmlNode | undefined): boolean {
  if (!one || !other || nameOf(one) !== nameOf(other)) return false;
  const before = identify(one);
  const after = identify(other);
  return before === undefined || after === undefined || before === after;
}

/** A cache of the words of nodes. */
type NodeWords = Map<XmlNode, ReadonlySet<string>>;

/** The first words and names of a long node are enough to recognize it. */
const MAX_WORDS = 48;
/** The most characters of a run that are searched for words. */
const MAX_RUN_LENGTH = 1_000;

/** Returns the similarity of two nodes, from 0 to 1, by the words and element names they share. */
function similarity(one: XmlNode, other: XmlNode, knownWords: NodeWords): number {
  const a = wordsOf(one, knownWords);
  const b = wordsOf(other, knownWords);
  if (a.size === 0 && b.size === 0) return 1;
  let shared = 0;
  for (const word of a) if (b.has(word)) shared++;
  return shared / Math.max(a.size, b.size);
}

function wordsOf(node: XmlNode, knownWords: NodeWords): ReadonlySet<string> {
  const known = knownWords.get(node);
  if (known) return known;
  const words = new Set<string>();
  collectWords(node, words);
  knownWords.set(node, words);
  return words;
}

function collectWords(node: XmlNode, words: Set<string>): void {
  if (words.size >= MAX_WORDS) return;
  if (isElement(node)) {
    for (const child of node.children) {
      if (words.size >= MAX_WORDS) return;
      if (isElement(child)) words.add(`<${child.name}`);
      collectWords(child, words);
    }
    return;
  }
  for (const run of node.runs) {
    if (!isTextRun(run)) continue;
    for (const word of run.text.slice(0, MAX_RUN_LENGTH).split(/\s+/, MAX_WORDS)) {
      if (word !== '') words.add(word);
    }
  }
}
