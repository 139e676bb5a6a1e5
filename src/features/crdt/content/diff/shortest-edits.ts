import { type Hunk, joinHunks } from './hunk.ts';
import type { WorkBudget } from './work-budget.ts';

/** Two sides with more edits than this have little in common. */
const MAX_EDITS = 256;

/**
 * Returns the fewest edits that turn one side of `gap` into the other (Myers, "An O(ND) Difference
 * Algorithm"); undefined above 256 edits or when the budget is spent. Bound: the budget in time,
 * 256² × 4 bytes in space.
 *
 * A path has read x elements of the first side and y of the second; x - y is its diagonal. Each round allows
 * one more edit, and finds the furthest path on each diagonal.
 */
export function shortestEdits(
  a: Int32Array,
  b: Int32Array,
  gap: Hunk,
  budget: WorkBudget,
): Hunk[] | undefined {
  const from = a.subarray(gap.aFrom, gap.aTo);
  const to = b.subarray(gap.bFrom, gap.bTo);
  const limit = Math.min(from.length + to.length, MAX_EDITS);
  if (Math.abs(from.length - to.length) > limit) return undefined;
  // The largest x on each diagonal; diagonal 0 is at the index `zero`.
  const zero = limit + 1;
  const reached = new Int32Array(2 * limit + 3);
  const rounds: Int32Array[] = [];
  for (let edits = 0; edits <= limit && budget.steps > 0; edits++) {
    // The diagonals that `traceBack` needs, from -edits - 1 to edits + 1, before this round.
    rounds.push(reached.slice(zero - edits - 1, zero + edits + 2));
    let steps = edits + 1;
    for (let diagonal = -edits; diagonal <= edits; diagonal += 2) {
      const previous = previousDiagonal(reached, zero, diagonal, edits);
      const start = (reached[zero + previous] ?? 0) + (previous < diagonal ? 1 : 0);
      const x = skipEqual(from, to, start, diagonal);
      reached[zero + diagonal] = x;
      steps += x - start;
      if (x >= from.length && x - diagonal >= to.length) return traceBack(rounds, gap);
    }
    budget.steps -= steps;
  }
  return undefined;
}

/** Returns the diagonal before the last edit: the one below after a deletion, above after an insertion. */
function previousDiagonal(
  reached: Int32Array,
  zero: number,
  diagonal: number,
  edits: number,
): number {
  if (edits === 0) return diagonal;
  if (diagonal === -edits) return diagonal + 1;
  if (diagonal === edits) return diagonal - 1;
  const afterDeletion = reached[zero + diagonal - 1] ?? 0;
  const afterInsertion = reached[zero + diagonal + 1] ?? 0;
  return afterDeletion < afterInsertion ? diagonal + 1 : diagonal - 1;
}

/** Returns the x at which the two sides differ again, or one of them ends. */
function skipEqual(from: Int32Array, to: Int32Array, start: number, diagonal: number): number {
  const end = Math.min(from.length, to.length + diagonal);
  let x = start;
  while (x < end && from[x] === to[x - diagonal]) x++;
  return x;
}

/** Returns the edits of the path that reached both ends, from the last round back to the first. */
function traceBack(rounds: Int32Array[], gap: Hunk): Hunk[] {
  const steps: Hunk[] = [];
  let diagonal = gap.aTo - gap.aFrom - (gap.bTo - gap.bFrom);
  for (let edits = rounds.length - 1; edits > 0; edits--) {
    const reached = rounds[edits] ?? new Int32Array();
    const zero = edits + 1;
    const previous = previousDiagonal(reached, zero, diagonal, edits);
    const x = reached[zero + previous] ?? 0;
    const [aFrom, bFrom] = [gap.aFrom + x, gap.bFrom + x - previous];
    const deletion = previous < diagonal ? 1 : 0;
    steps.push({ aFrom, aTo: aFrom + deletion, bFrom, bTo: bFrom + 1 - deletion });
    diagonal = previous;
  }
  return joinHunks(steps.reverse(), 0);
}
