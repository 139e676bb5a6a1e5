/**
 * The comparing that one replacement may still do, in steps of a few nanoseconds. Counted and not
 * timed, so that the same contents always give the same change.
 */
export interface WorkBudget {
  steps: number;
}

export function newBudget(): WorkBudget {
  return { steps: 1_000_000 };
}
