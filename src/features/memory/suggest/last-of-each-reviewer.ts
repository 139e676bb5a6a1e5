import type { SimilarJudgment } from '../retrieve/find-similar.ts';
import { wordsOf } from '../text/words.ts';

/** Texts that share so much of their words are about the same item. */
const SAME_ITEM = 0.75;

/**
 * What each reviewer decided last about an item: who approves it again adds nothing, and who changed
 * their mind no longer counts for the other side. Of judgments without a reviewer nobody knows
 * whether they are one person's, so all of them count.
 */
export function lastOfEachReviewer(found: SimilarJudgment[]): SimilarJudgment[] {
  const byReviewer = Map.groupBy(found, ({ reviewerId }) => reviewerId);
  const counted = new Set(
    [...byReviewer].flatMap(([reviewerId, own]) => (reviewerId === null ? own : lastOfEach(own))),
  );
  return found.filter((judgment) => counted.has(judgment));
}

interface Item {
  judgment: SimilarJudgment;
  words: Set<string>;
}

function lastOfEach(own: SimilarJudgment[]): SimilarJudgment[] {
  if (own.length === 1) return own;
  const counted: Item[] = [];
  for (const judgment of own.toSorted((a, b) => b.createdMs - a.createdMs)) {
    const item = { judgment, words: new Set(wordsOf(judgment.query)) };
    if (!counted.some((later) => isSame(later, item))) counted.push(item);
  }
  return counted.map(({ judgment }) => judgment);
}

function isSame(one: Item, other: Item): boolean {
  if (one.judgment.query === other.judgment.query) return true;
  const [a, b] = [one.words, other.words];
  // Spares most comparisons: texts of unlike lengths cannot share enough.
  if (Math.min(a.size, b.size) < SAME_ITEM * Math.max(a.size, b.size)) return false;
  const shared = [...a].filter((word) => b.has(word)).length;
  return shared > 0 && shared >= SAME_ITEM * (a.size + b.size - shared);
}
