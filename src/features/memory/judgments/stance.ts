/** The stance of a decision towards its item. 1: for it, -1: against it, 0: neither. */
export type Stance = 1 | -1 | 0;

const FOR = new Set(['approved', 'agree', 'endorse', 'document_approved']);
const AGAINST = new Set(['rejected', 'disagree', 'document_rejected']);

export const stanceOf = (decision: string): Stance =>
  FOR.has(decision) ? 1 : AGAINST.has(decision) ? -1 : 0;
