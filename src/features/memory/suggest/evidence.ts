import type { SimilarJudgment } from '../retrieve/find-similar.ts';
import type { DecisiveWord } from './decisive-word.ts';

/** A judgment with its weight in the decision, relative to the weightiest one's. */
export interface Weighed extends SimilarJudgment {
  weight: number;
}

/** What the judgments of similar items say about an item. */
export interface Evidence {
  for: Weighed[];
  against: Weighed[];
  /** Positive for an approval: the expected decision in units of its uncertainty. */
  score: number;
  /** When the decisions reversed, if they did. */
  reversedAt: number | undefined;
  /** Whether people decide differently about the same. */
  isContested: boolean;
  decisive: DecisiveWord | undefined;
}
