import { diffSequences } from './diff-sequences.ts';
import { type Hunk, joinHunks } from './hunk.ts';
import { numberPieces } from './number-pieces.ts';
import {
  cut,
  isHighSurrogate,
  isLowSurrogate,
  type PieceStart,
  startsCharacter,
  startsPhrase,
  startsWord,
} from './text-pieces.ts';
import type { WorkBudget } from './work-budget.ts';

/** Put `insert` in the place of [from, to) of the text before; offsets are UTF-16 units. */
export interface TextEdit {
  from: number;
  to: number;
  insert: string;
}

interface Level {
  startsPiece: PieceStart;
  /** Longer hunks, in units of both sides, are replaced as a whole. */
  maxLength: number;
  /** The share of the shorter side that must stay, or the pieces are too unlike to be matched. */
  minKept: number;
}

// Letters that two unlike words happen to share are no reason to interleave the words.
const LEVELS: readonly Level[] = [
  { startsPiece: startsPhrase, maxLength: Infinity, minKept: 0 },
  { startsPiece: startsWord, maxLength: Infinity, minKept: 0.5 },
  { startsPiece: startsCharacter, maxLength: 1_000, minKept: 0.5 },
];

/** What it costs, in steps, to cut, number and match a piece. */
const STEPS_FOR_PIECE = 5;
const MAX_TEXT_EDITS = 2_000;

/**
 * A small set of edits, in order and apart from each other, that turns `before` into `after`; none
 * when they are equal. Phrases are compared first, then words in what differs, then characters in
 * what is short and alike. No edit parts a surrogate pair. The same texts give the same edits.
 *
 * Bound: three passes over both texts, the steps of `budget`, and 2,000 edits.
 */
export function diffText(before: string, after: string, budget: WorkBudget): TextEdit[] {
  const units = utf16(before + after);
  const middle = before.length;
  const whole = { aFrom: 0, aTo: middle, bFrom: middle, bTo: units.length };
  const hunks = coarsened(refine(units, whole, 0, budget));
  return hunks.map(({ aFrom, aTo, bFrom, bTo }) => ({
    from: aFrom,
    to: aTo,
    insert: after.slice(bFrom - middle, bTo - middle),
  }));
}

/** Both texts in one array: a piece of either is a range, and reading units is what all this does. */
function utf16(text: string): Uint16Array {
  const bytes = Buffer.from(text, 'utf16le');
  return new Uint16Array(bytes.buffer, bytes.byteOffset, text.length);
}

function refine(units: Uint16Array, range: Hunk, depth: number, budget: WorkBudget): Hunk[] {
  const hunk = trimmed(units, range);
  const removed = hunk.aTo - hunk.aFrom;
  const added = hunk.bTo - hunk.bFrom;
  if (removed === 0 && added === 0) return [];
  const level = LEVELS[depth];
  if (removed === 0 || added === 0 || level === undefined) return [hunk];
  if (removed + added > level.maxLength) return [hunk];
  const parts = splitHunk(units, hunk, level.startsPiece, budget);
  if (parts === undefined) return [hunk];
  const kept = removed - parts.reduce((sum, part) => sum + part.aTo - part.aFrom, 0);
  const alike = kept >= level.minKept * Math.min(removed, added);
  return (alike ? parts : [hunk]).flatMap((part) => refine(units, part, depth + 1, budget));
}

/** The parts of a hunk that differ when it is cut into pieces; undefined when they are too many. */
function splitHunk(
  units: Uint16Array,
  { aFrom, aTo, bFrom, bTo }: Hunk,
  startsPiece: PieceStart,
  budget: WorkBudget,
): Hunk[] | undefined {
  const maxPieces = Math.floor(budget.steps / STEPS_FOR_PIECE / 2);
  if (maxPieces < 1) return undefined;
  const aBounds = cut(units, aFrom, aTo, startsPiece, maxPieces);
  const bBounds = aBounds && cut(units, bFrom, bTo, startsPiece, maxPieces);
  if (aBounds === undefined || bBounds === undefined) return undefined;
  budget.steps -= (aBounds.length + bBounds.length) * STEPS_FOR_PIECE;
  const [a, b] = numberPieces(units, aBounds, bBounds);
  return diffSequences(a, b, budget).map((part) => ({
    aFrom: aBounds[part.aFrom] ?? aTo,
    aTo: aBounds[part.aTo] ?? aTo,
    bFrom: bBounds[part.bFrom] ?? bTo,
    bTo: bBounds[part.bTo] ?? bTo,
  }));
}

/** The range without its common ends; they never end between the halves of a surrogate pair. */
function trimmed(units: Uint16Array, range: Hunk): Hunk {
  const { aFrom, aTo, bFrom, bTo } = range;
  const shorter = Math.min(aTo - aFrom, bTo - bFrom);
  let head = 0;
  while (head < shorter && units[aFrom + head] === units[bFrom + head]) head++;
  if (head > 0 && isHighSurrogate(units[aFrom + head - 1])) head--;
  let tail = 0;
  const rest = shorter - head;
  while (tail < rest && units[aTo - tail - 1] === units[bTo - tail - 1]) tail++;
  if (tail > 0 && isLowSurrogate(units[aTo - tail])) tail--;
  return { aFrom: aFrom + head, aTo: aTo - tail, bFrom: bFrom + head, bTo: bTo - tail };
}

/** Each edit parts an item of the document for ever, so very many are made fewer and longer. */
function coarsened(hunks: Hunk[]): Hunk[] {
  let fewer = hunks;
  for (let gap = 8; fewer.length > MAX_TEXT_EDITS; gap *= 2) fewer = joinHunks(fewer, gap);
  return fewer;
}
