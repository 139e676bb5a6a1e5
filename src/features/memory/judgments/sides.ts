/** 1: for the item, -1: against it, 0: neither. */
export type Side = 1 | -1 | 0;

const SIDES: Record<string, Side> = {
  approved: 1,
  agree: 1,
  endorse: 1,
  document_approved: 1,
  rejected: -1,
  disagree: -1,
  document_rejected: -1,
};

export const sideOf = (decision: string): Side =>
  Object.hasOwn(SIDES, decision) ? (SIDES[decision] ?? 0) : 0;
