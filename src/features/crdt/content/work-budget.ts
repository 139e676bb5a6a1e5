/**
 * The remaining comparisons of one replacement, in steps of a few nanoseconds. Steps are counted
 * and not timed, so that equal contents always give equal changes.
 */
export interface WorkBudget {
  steps: number;
}

export function newBudget(): WorkBudget {
  return { steps: 1_000_000 };
}
