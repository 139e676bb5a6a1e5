/** The work that one replacement may cost. */
export interface WorkBudget {
  /**
   * The remaining comparisons, in steps of a few nanoseconds. Steps are counted and not timed, so that
   * equal contents always give equal changes.
   */
  steps: number;
  /** The greatest total length of the differing parts of two texts, in UTF-16 units. */
  maxDifferingUnits?: number;
}

export const newBudget = (): WorkBudget => ({ steps: 1_000_000 });

/** A comparison would take longer than its budget allows. Nothing is changed. */
export class TooMuchWork extends Error {}
