import type { Hunk } from './hunk.ts';
import { shortestEdits } from './shortest-edits.ts';
import type { WorkBudget } from './work-budget.ts';

const ABSENT = -1;
const REPEATED = -2;

type Key = string | number;

/** The indexes of a key that occurs exactly once in each sequence. */
interface Anchor {
  a: number;
  b: number;
  /** The anchor before this one in the longest increasing run that ends here. */
  previous?: Anchor | undefined;
}

/**
 * Compares two sequences and returns the hunks that differ, in order. Equal elements have equal keys.
 *
 * A patience diff comes first: keys that occur exactly once on each side are anchors, and the
 * longest increasing run of anchors is kept. The gaps between anchors are then compared by shortest
 * edits; a gap becomes one hunk when its sides differ too much or the budget is spent. Bound: O(n
 * log n) for n keys, and the steps of `budget`.
 */
export function diffSequences(
  before: readonly Key[],
  after: readonly Key[],
  budget: WorkBudget,
): Hunk[] {
  const [a, b] = toNumbers(before, after);
  const whole = trimHunk(a, b, { aFrom: 0, aTo: a.length, bFrom: 0, bTo: b.length });
  const hunks: Hunk[] = [];
  let { aFrom, bFrom } = whole;
  const closeGap = (aTo: number, bTo: number) => {
    const gap = trimHunk(a, b, { aFrom, aTo, bFrom, bTo });
    const removed = gap.aTo - gap.aFrom;
    const added = gap.bTo - gap.bFrom;
    if (removed > 0 && added > 0 && removed + added > 2) {
      hunks.push(...(shortestEdits(a, b, gap, budget) ?? [gap]));
    } else if (removed > 0 || added > 0) {
      hunks.push(gap);
    }
  };
  for (const anchor of findAnchors(a, b, whole)) {
    closeGap(anchor.a, anchor.b);
    aFrom = anchor.a + 1;
    bFrom = anchor.b + 1;
  }
  closeGap(whole.aTo, whole.bTo);
  return hunks;
}

/** Replaces keys with numbers, counted from 0, so that typed arrays can be compared. */
function toNumbers(
  before: readonly Key[],
  after: readonly Key[],
): [before: Int32Array, after: Int32Array] {
  const numbers = new Map<Key, number>();
  const numberOf = (key: Key): number => {
    const number = numbers.get(key) ?? numbers.size;
    numbers.set(key, number);
    return number;
  };
  return [Int32Array.from(before, numberOf), Int32Array.from(after, numberOf)];
}

function trimHunk(a: Int32Array, b: Int32Array, range: Hunk): Hunk {
  let { aFrom, aTo, bFrom, bTo } = range;
  while (aFrom < aTo && bFrom < bTo && a[aFrom] === b[bFrom]) {
    aFrom++;
    bFrom++;
  }
  while (aFrom < aTo && bFrom < bTo && a[aTo - 1] === b[bTo - 1]) {
    aTo--;
    bTo--;
  }
  return { aFrom, aTo, bFrom, bTo };
}

function findAnchors(a: Int32Array, b: Int32Array, range: Hunk): Anchor[] {
  if (range.aFrom === range.aTo || range.bFrom === range.bTo) return [];
  const keyCount = a.length + b.length;
  const inA = soleIndexes(a.subarray(0, range.aTo), range.aFrom, keyCount);
  const inB = soleIndexes(b.subarray(0, range.bTo), range.bFrom, keyCount);
  const pairs: Anchor[] = [];
  for (let at = range.aFrom; at < range.aTo; at++) {
    const key = a[at] ?? 0;
    const other = inB[key] ?? ABSENT;
    if (inA[key] === at && other >= 0) pairs.push({ a: at, b: other });
  }
  return longestIncreasing(pairs);
}

/** For each key, the index of its only occurrence, if it has exactly one. */
function soleIndexes(keys: Int32Array, from: number, keyCount: number): Int32Array {
  const sole = new Int32Array(keyCount).fill(ABSENT);
  for (let at = from; at < keys.length; at++) {
    const key = keys[at] ?? 0;
    sole[key] = sole[key] === ABSENT ? at : REPEATED;
  }
  return sole;
}

/** Returns a longest subsequence with strictly increasing `b`. Bound: O(n log n). */
function longestIncreasing(pairs: readonly Anchor[]): Anchor[] {
  // Patience sorting places each card on the first pile with a larger top card.
  const tops: Anchor[] = [];
  for (const pair of pairs) {
    let low = 0;
    let high = tops.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((tops[middle]?.b ?? 0) < pair.b) low = middle + 1;
      else high = middle;
    }
    tops[low] = { ...pair, previous: tops[low - 1] };
  }
  const found: Anchor[] = [];
  for (let card = tops.at(-1); card !== undefined; card = card.previous) found.push(card);
  return found.reverse();
}
