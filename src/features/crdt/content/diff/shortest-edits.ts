import { type Hunk, joinHunks } from './hunk.ts';
import type { WorkBudget } from './work-budget.ts';

/** Two sides with more edits than this have little in common. */
const MAX_EDITS = 256;

/**
 * Returns the fewest edits that turn one side of `gap` into the other (Myers, "An O(ND) Difference
 * Algorithm"); undefined above 256 edits or when the budget is spent. Bound: the budget in time,
 * 256² × 4 bytes in space.
 */
export function shortestEdits(
  a: Int32Array,
  b: Int32Array,
  gap: Hunk,
  budget: WorkBudget,
): Hunk[] | undefined {
  const width = gap.aTo - gap.aFrom;
  const height = gap.bTo - gap.bFrom;
  const limit = Math.min(width + height, MAX_EDITS);
  if (Math.abs(width - height) > limit) return undefined;
  const zero = limit + 1;
  // For each diagonal x - y: the largest x reached on it so far.
  const reached = new Int32Array(2 * limit + 3);
  const rounds: Int32Array[] = [];
  for (let edits = 0; edits <= limit && budget.steps > 0; edits++) {
    // `traceBack` follows the path through the state before each round.
    rounds.push(reached.slice(zero - edits - 1, zero + edits + 2));
    let steps = edits + 1;
    for (let diagonal = -edits; diagonal <= edits; diagonal += 2) {
      const from = previousDiagonal(reached, zero, diagonal, edits);
      const start = (reached[zero + from] ?? 0) + (from < diagonal ? 1 : 0);
      let x = start;
      let y = x - diagonal;
      while (x < width && y < height && a[gap.aFrom + x] === b[gap.bFrom + y]) {
        x++;
        y++;
      }
      reached[zero + diagonal] = x;
      steps += x - start;
      if (x >= width && y >= height) return traceBack(rounds, gap);
    }
    budget.steps -= steps;
  }
  return undefined;
}

/** Returns the diagonal of the previous step: below after a deletion, above after an insertion. */
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

function traceBack(rounds: Int32Array[], gap: Hunk): Hunk[] {
  const steps: Hunk[] = [];
  let diagonal = gap.aTo - gap.aFrom - (gap.bTo - gap.bFrom);
  for (let edits = rounds.length - 1; edits > 0; edits--) {
    const reached = rounds[edits] ?? new Int32Array();
    const zero = edits + 1;
    const from = previousDiagonal(reached, zero, diagonal, edits);
    const aFrom = gap.aFrom + (reached[zero + from] ?? 0);
    const bFrom = gap.bFrom + (reached[zero + from] ?? 0) - from;
    const deletion = from < diagonal ? 1 : 0;
    steps.push({ aFrom, aTo: aFrom + deletion, bFrom, bTo: bFrom + 1 - deletion });
    diagonal = from;
  }
  return joinHunks(steps.reverse(), 0);
}
