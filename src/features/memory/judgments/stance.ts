/** The stance of a decision towards its item. 1: for it, -1: against it, 0: neither. */
export type Stance = 1 | -1 | 0;

const DECISIONS_FOR = new Set(['approved', 'agree', 'endorse', 'document_approved']);
const DECISIONS_AGAINST = new Set(['rejected', 'disagree', 'document_rejected']);

export function stanceOf(decision: string): Stance {
  if (DECISIONS_FOR.has(decision)) return 1;
  return DECISIONS_AGAINST.has(decision) ? -1 : 0;
}
