import { commonEnds, dominantBlock } from './common-blocks.ts';
import { diffSequences } from './diff-sequences.ts';
import { type Hunk, joinHunks } from './hunk.ts';
import {
  type SegmentStart,
  segmentBounds,
  segmentsBetween,
  startsCharacter,
  startsPhrase,
  startsWord,
} from './text-segments.ts';
import { TooMuchWork, type WorkBudget } from './work-budget.ts';

/** Replaces [from, to) of the old text with `insert`. Offsets are UTF-16 units. */
export interface TextEdit {
  from: number;
  to: number;
  insert: string;
}

interface Level {
  startsSegment: SegmentStart;
  /** A hunk with more UTF-16 units than this, on both sides together, is replaced as a whole. */
  maxLength: number;
  /** A hunk is replaced as a whole when less than this share of its shorter side would be kept. */
  minKept: number;
}

// Characters are compared last, in few hunks: different words that share letters must not be interleaved.
const LEVELS: readonly Level[] = [
  { startsSegment: startsPhrase, maxLength: Infinity, minKept: 0 },
  { startsSegment: startsWord, maxLength: Infinity, minKept: 0.5 },
  { startsSegment: startsCharacter, maxLength: 1_000, minKept: 0.5 },
];

/** The cost of splitting off, numbering and matching one segment, in steps of the budget. */
const STEPS_PER_SEGMENT = 5;
const MAX_TEXT_EDITS = 2_000;

/**
 * Returns a small list of edits, in order and not adjacent, that turns `before` into `after`; empty
 * when both are equal. Phrases are compared first, then words within changed phrases, then
 * characters within changes that are short and similar. No edit splits a surrogate pair, and equal
 * inputs give equal edits.
 *
 * Bound: one pass over the common ends of both texts, O(n log n) for the text between them, the steps of
 * `budget`, and 2,000 edits.
 *
 * @throws {TooMuchWork} when the text between the common ends is longer than the budget allows.
 */
export function diffText(before: string, after: string, budget: WorkBudget): TextEdit[] {
  const { head, tail } = commonEnds(before, after);
  const aTo = before.length - tail;
  const bTo = after.length - tail;
  const { maxDifferingUnits = Number.POSITIVE_INFINITY } = budget;
  if (aTo + bTo - 2 * head > maxDifferingUnits) throw new TooMuchWork();
  const parts = splitAtBlocks(before, after, { aFrom: head, aTo, bFrom: head, bTo });
  const hunks = parts.flatMap((part) => refine({ before, after, budget }, part, 0));
  return coarsenHunks(hunks).map(({ aFrom, aTo, bFrom, bTo }) => ({
    from: aFrom,
    to: aTo,
    insert: after.slice(bFrom, bTo),
  }));
}

/**
 * Splits a range at large blocks that both texts have, such as those between a few changed words. This
 * takes a fraction of the time of splitting both texts into phrases.
 */
function splitAtBlocks(before: string, after: string, range: Hunk): Hunk[] {
  const { aFrom, aTo, bFrom, bTo } = range;
  const block = dominantBlock(before.slice(aFrom, aTo), after.slice(bFrom, bTo));
  if (!block) return [range];
  const a = aFrom + block.a;
  const b = bFrom + block.b;
  return [
    ...splitAtBlocks(before, after, { aFrom, aTo: a, bFrom, bTo: b }),
    ...splitAtBlocks(before, after, { aFrom: a + block.length, aTo, bFrom: b + block.length, bTo }),
  ];
}

interface Texts {
  before: string;
  after: string;
  budget: WorkBudget;
}

/** Returns the parts of a range that differ, compared by ever smaller segments. */
function refine(texts: Texts, range: Hunk, depth: number): Hunk[] {
  const hunk = withoutCommonEnds(texts, range);
  const removed = hunk.aTo - hunk.aFrom;
  const added = hunk.bTo - hunk.bFrom;
  if (removed === 0 && added === 0) return [];
  const level = LEVELS[depth];
  const isSmallest = removed === 0 || added === 0 || removed + added === 2;
  if (isSmallest || level === undefined || removed + added > level.maxLength) return [hunk];
  const parts = splitHunk(texts, hunk, level.startsSegment);
  if (parts === undefined) return [hunk];
  const kept = removed - parts.reduce((sum, part) => sum + part.aTo - part.aFrom, 0);
  const isAlike = kept >= level.minKept * Math.min(removed, added);
  return (isAlike ? parts : [hunk]).flatMap((part) => refine(texts, part, depth + 1));
}

/** Splits a hunk into segments and returns the parts that differ; undefined if the budget is too small. */
function splitHunk(
  { before, after, budget }: Texts,
  { aFrom, aTo, bFrom, bTo }: Hunk,
  startsSegment: SegmentStart,
): Hunk[] | undefined {
  // Each side may take half of the remaining budget.
  const maxSegments = Math.floor(budget.steps / STEPS_PER_SEGMENT / 2);
  if (maxSegments < 1) return undefined;
  const aBounds = segmentBounds(before, aFrom, aTo, startsSegment, maxSegments);
  const bBounds = aBounds && segmentBounds(after, bFrom, bTo, startsSegment, maxSegments);
  if (aBounds === undefined || bBounds === undefined) return undefined;
  budget.steps -= (aBounds.length + bBounds.length) * STEPS_PER_SEGMENT;
  const a = segmentsBetween(before, aBounds);
  const b = segmentsBetween(after, bBounds);
  return diffSequences(a, b, budget).map((part) => ({
    aFrom: aBounds[part.aFrom] ?? aTo,
    aTo: aBounds[part.aTo] ?? aTo,
    bFrom: bBounds[part.bFrom] ?? bTo,
    bTo: bBounds[part.bTo] ?? bTo,
  }));
}

function withoutCommonEnds({ before, after }: Texts, { aFrom, aTo, bFrom, bTo }: Hunk): Hunk {
  const { head, tail } = commonEnds(before.slice(aFrom, aTo), after.slice(bFrom, bTo));
  return { aFrom: aFrom + head, aTo: aTo - tail, bFrom: bFrom + head, bTo: bTo - tail };
}

/** Joins neighbouring hunks if there are too many, since each edit splits an item of the document permanently. */
function coarsenHunks(hunks: Hunk[]): Hunk[] {
  let joined = hunks;
  for (let gap = 8; joined.length > MAX_TEXT_EDITS; gap *= 2) joined = joinHunks(joined, gap);
  return joined;
}
