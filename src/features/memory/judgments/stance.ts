/** The stance of a decision towards its item. 1: for it, -1: against it, 0: neither. */
export type Stance = 1 | -1 | 0;

const STANCES: Record<string, Stance> = {
  approved: 1,
  agree: 1,
  endorse: 1,
  document_approved: 1,
  rejected: -1,
  disagree: -1,
  document_rejected: -1,
};

export const stanceOf = (decision: string): Stance =>
  Object.hasOwn(STANCES, decision) ? (STANCES[decision] ?? 0) : 0;
