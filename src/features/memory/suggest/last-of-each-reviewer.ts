import type { SimilarJudgment } from '../retrieve/find-similar.ts';
import { overlap } from '../text/similarity.ts';
import { wordsOf } from '../text/words.ts';

/** Texts that share so much of their words are about the same item. */
const SAME_ITEM = 0.75;

/**
 * Keeps only each reviewer's last judgment of an item, so that repeated approvals count once and a
 * changed mind replaces the former decision. Judgments without a reviewer may be of different
 * people, so all of them count.
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
  // Texts of very different lengths cannot share enough words, so they need no comparison.
  if (Math.min(a.size, b.size) < SAME_ITEM * Math.max(a.size, b.size)) return false;
  return overlap(a, b) >= SAME_ITEM;
}
