import { type Comparison, identityOf } from '../align-elements.ts';
import { diffSequences } from '../diff-sequences.ts';
import type { Hunk } from '../hunk.ts';
import { likeness, type Sketches } from './node-likeness.ts';
import { isElement, type XmlNode } from './xml-tree.ts';

/** A node that stays, as the same or changed inside; indexes are those before and after. */
export interface Pair {
  before: number;
  after: number;
}

export interface NodeComparison extends Comparison {
  sketches: Sketches;
}

/** Pairs in larger gaps are found by the names of nodes alone. */
const MAX_COMPARED = 2_500;
/** A comparison of two nodes, in steps of the budget. */
const STEPS_FOR_LIKENESS = 20;

/**
 * Which children stay, in order: those that are equal, or have the same `id`; between them those of
 * one name that are most alike, so that a changed paragraph is found beside a new one. What is in no
 * pair goes, or is new.
 */
export function alignNodes(
  before: readonly XmlNode[],
  after: readonly XmlNode[],
  comparison: NodeComparison,
): Pair[] {
  const numbers = new Map<string | number, number>();
  const tokens = (nodes: readonly XmlNode[]) => tokensOf(nodes, comparison, numbers);
  const pairs: Pair[] = [];
  let [done, doneAfter] = [0, 0];
  const keepTo = (end: number) => {
    while (done < end) pairs.push({ before: done++, after: doneAfter++ });
  };
  for (const hunk of diffSequences(tokens(before), tokens(after), comparison.budget)) {
    keepTo(hunk.aFrom);
    pairs.push(...pairsInside(before, after, hunk, comparison));
    done = hunk.aTo;
    doneAfter = hunk.bTo;
  }
  keepTo(before.length);
  return pairs;
}

/** Equal numbers for nodes that are equal, or whose `id` is the only one of its kind on its side. */
function tokensOf(
  nodes: readonly XmlNode[],
  { ids }: Comparison,
  numbers: Map<string | number, number>,
): Int32Array {
  const identities = nodes.map(identify);
  const counts = new Map<string | undefined, number>();
  for (const identity of identities) counts.set(identity, (counts.get(identity) ?? 0) + 1);
  return Int32Array.from(nodes, (node, at) => {
    const identity = identities[at];
    const key = identity !== undefined && counts.get(identity) === 1 ? identity : ids.of(node);
    const number = numbers.get(key) ?? numbers.size;
    numbers.set(key, number);
    return number;
  });
}

/** The name belongs to it: a node cannot become one of another name. */
function identify(node: XmlNode): string | undefined {
  const id = isElement(node) ? identityOf(node.attributes) : undefined;
  return id && isElement(node) ? `${nameOf(node)} ${id}` : undefined;
}

const nameOf = (node: XmlNode): string => (isElement(node) ? `${node.as ?? ''} ${node.name}` : '');

function pairsInside(
  before: readonly XmlNode[],
  after: readonly XmlNode[],
  hunk: Hunk,
  comparison: NodeComparison,
): Pair[] {
  const size = (hunk.aTo - hunk.aFrom) * (hunk.bTo - hunk.bFrom);
  if (size === 0) return [];
  const cost = size * STEPS_FOR_LIKENESS;
  if (size > MAX_COMPARED || cost > comparison.budget.steps)
    return pairsByName(before, after, hunk, comparison);
  comparison.budget.steps -= cost;
  return pairsByLikeness(before, after, hunk, comparison.sketches);
}

function pairsByName(
  before: readonly XmlNode[],
  after: readonly XmlNode[],
  { aFrom, aTo, bFrom, bTo }: Hunk,
  { budget }: Comparison,
): Pair[] {
  const names = new Map<string, number>();
  const tokens = (nodes: readonly XmlNode[]) =>
    Int32Array.from(nodes, (node) => {
      const number = names.get(nameOf(node)) ?? names.size;
      names.set(nameOf(node), number);
      return number;
    });
  const hunks = diffSequences(
    tokens(before.slice(aFrom, aTo)),
    tokens(after.slice(bFrom, bTo)),
    budget,
  );
  const pairs: Pair[] = [];
  let [done, doneAfter] = [aFrom, bFrom];
  for (const gap of [...hunks, { aFrom: aTo - aFrom, aTo: 0, bFrom: 0, bTo: 0 }]) {
    for (; done < aFrom + gap.aFrom; done++, doneAfter++) {
      if (mayPair(before[done], after[doneAfter])) pairs.push({ before: done, after: doneAfter });
    }
    done = aFrom + gap.aTo;
    doneAfter = bFrom + gap.bTo;
  }
  return pairs;
}

/** The pairs, in order, that have the most in common together. */
function pairsByLikeness(
  before: readonly XmlNode[],
  after: readonly XmlNode[],
  { aFrom, aTo, bFrom, bTo }: Hunk,
  sketches: Sketches,
): Pair[] {
  const width = bTo - bFrom + 1;
  const scores = new Float64Array((aTo - aFrom + 1) * width);
  const gains = new Float64Array(scores.length);
  const score = (a: number, b: number) => scores[(a - aFrom) * width + b - bFrom] ?? 0;
  for (let a = aTo - 1; a >= aFrom; a--) {
    for (let b = bTo - 1; b >= bFrom; b--) {
      const at = (a - aFrom) * width + b - bFrom;
      const gain = gainOf(before[a], after[b], sketches);
      gains[at] = gain;
      scores[at] = Math.max(score(a + 1, b), score(a, b + 1), gain && gain + score(a + 1, b + 1));
    }
  }
  const pairs: Pair[] = [];
  for (let [a, b] = [aFrom, bFrom]; a < aTo && b < bTo; ) {
    const gain = gains[(a - aFrom) * width + b - bFrom] ?? 0;
    if (gain > 0 && score(a, b) === gain + score(a + 1, b + 1))
      pairs.push({ before: a++, after: b++ });
    else if (score(a, b) === score(a + 1, b)) a++;
    else b++;
  }
  return pairs;
}

/** Nodes that have only their name in common are still better changed than replaced. */
function gainOf(one: XmlNode | undefined, other: XmlNode | undefined, sketches: Sketches): number {
  return mayPair(one, other) && one && other ? 1 + 100 * likeness(one, other, sketches) : 0;
}

/** Another `id` is another thing, which must not take over the history of this one. */
function mayPair(one: XmlNode | undefined, other: XmlNode | undefined): boolean {
  if (!one || !other || nameOf(one) !== nameOf(other)) return false;
  const [before, after] = [identify(one), identify(other)];
  return before === undefined || after === undefined || before === after;
}
