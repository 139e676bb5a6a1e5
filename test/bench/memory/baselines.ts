import { termsOf } from '../../../src/features/memory/text/terms.ts';
import type { SetJudgment, SetQuestion } from './make-set.ts';

/** The probability of an approval; undefined without an answer. */
export type Guess = number | undefined;

type Asked = Pick<SetQuestion, 'query' | 'organizationId'>;

/** The share of approvals in the organization, or everywhere. */
export function majorityOf(judgments: SetJudgment[], { organizationId }: Asked): Guess {
  const there = judgments.filter(
    (one) => organizationId === undefined || one.organizationId === organizationId,
  );
  if (there.length === 0) return undefined;
  return there.filter(({ approved }) => approved).length / there.length;
}

const NEIGHBOURS = 10;
const MIN_COSINE = 0.24;
const MIN_FOUND = 2;

/**
 * The textbook method: the nearest judgments by the cosine of TF-IDF vectors vote, weighted by it,
 * in the organization, or everywhere if it has too few.
 */
export class Neighbours {
  readonly #known: Array<{ judgment: SetJudgment; words: Map<string, number> }>;
  readonly #frequency = new Map<string, number>();

  constructor(judgments: SetJudgment[]) {
    this.#known = judgments.map((judgment) => ({ judgment, words: termsOf(judgment.query) }));
    for (const word of this.#known.flatMap(({ words }) => [...words.keys()])) {
      this.#frequency.set(word, (this.#frequency.get(word) ?? 0) + 1);
    }
  }

  guess({ query, organizationId }: Asked): Guess {
    const queryTerms = termsOf(query);
    const all = this.#known
      .map(({ judgment, words }) => ({ judgment, cosine: this.#cosine(queryTerms, words) }))
      .filter(({ cosine }) => cosine >= MIN_COSINE)
      .sort((a, b) => b.cosine - a.cosine);
    const own = all.filter(({ judgment }) => judgment.organizationId === organizationId);
    const nearest = (own.length >= MIN_FOUND ? own : all).slice(0, NEIGHBOURS);
    if (nearest.length < MIN_FOUND) return undefined;
    const weight = (some: typeof nearest) => some.reduce((sum, { cosine }) => sum + cosine, 0);
    return weight(nearest.filter(({ judgment }) => judgment.approved)) / weight(nearest);
  }

  #cosine(a: Map<string, number>, b: Map<string, number>): number {
    let [dot, ofA, ofB] = [0, 0, 0];
    for (const [word, times] of a) {
      const value = times * this.#rarity(word);
      ofA += value ** 2;
      dot += value * (b.get(word) ?? 0) * this.#rarity(word);
    }
    for (const [word, times] of b) ofB += (times * this.#rarity(word)) ** 2;
    return dot / (Math.sqrt(ofA * ofB) || 1);
  }

  #rarity = (word: string): number =>
    Math.log((1 + this.#known.length) / (1 + (this.#frequency.get(word) ?? 0)));
}
