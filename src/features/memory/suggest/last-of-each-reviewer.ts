import type { SimilarJudgment } from '../retrieve/find-similar.ts';
import { fingerprintOf } from '../text/term-keys.ts';
import { wordsOf } from '../text/words.ts';

/**
 * Keeps only each reviewer's last judgment of an item, so that repeated approvals count once and a
 * changed mind replaces the former decision. Texts with the same words are the same item in one
 * organization; one word more may be what a decision hangs on. Judgments without a reviewer may be of
 * different people, so all of them count.
 */
export function lastOfEachReviewer(found: SimilarJudgment[]): SimilarJudgment[] {
  const last = new Map<string, SimilarJudgment>();
  for (const judgment of found) {
    const key = keyOf(judgment);
    const other = last.get(key);
    if (!other || judgment.createdMs > other.createdMs) last.set(key, judgment);
  }
  const counted = new Set(last.values());
  return found.filter((judgment) => counted.has(judgment));
}

const keyOf = ({ recordId, reviewerId, organizationId, query }: SimilarJudgment): string =>
  reviewerId === null
    ? recordId
    : JSON.stringify([reviewerId, organizationId, fingerprintOf(wordsOf(query))]);
