import type { JudgmentRow } from '../judgments/judgment-row.ts';

/**
 * Keeps only each reviewer's last judgment of an item, so that repeated approvals count once and a
 * changed mind replaces the former decision.
 */
export function lastOfEachReviewer<Judgment extends JudgmentRow>(found: Judgment[]): Judgment[] {
  const inOrder = found.toSorted(
    // Judgments of one call often have one time; their positions are in the order of the call.
    (a, b) => a.createdMs - b.createdMs || Number(a.position) - Number(b.position),
  );
  const last = new Map(inOrder.map((judgment) => [decisionOf(judgment), judgment]));
  return found.filter((judgment) => last.get(decisionOf(judgment)) === judgment);
}

/**
 * Identifies what a reviewer decided about. Judgments with the same terms are of one item in one
 * organization. Those without a reviewer may be of different people, so all of them count.
 */
export const decisionOf = (judgment: JudgmentRow): string => {
  const { recordId, reviewerId, organizationId, fingerprint } = judgment;
  return reviewerId === null ? recordId : JSON.stringify([reviewerId, organizationId, fingerprint]);
};
