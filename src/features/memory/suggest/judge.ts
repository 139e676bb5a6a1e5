import { nextChunk } from '../../../platform/event-loop.ts';
import {
  ACROSS_ORGANIZATIONS,
  type Found,
  type SimilarJudgment,
} from '../retrieve/find-similar.ts';
import { cosine } from '../text/cosine.ts';
import { numbersOf } from '../text/terms.ts';
import { type Prediction, predict } from './gaussian-process.ts';
import { type Question, type Regime, regimesOf } from './regimes.ts';

/** A judgment with its part in the decision, relative to the greatest one. */
export interface Weighed extends SimilarJudgment {
  weight: number;
}

/** What the judgments of similar items say about an item. */
export interface Verdict {
  /** The judgments that the decision rests on, the weightiest first. */
  for: Weighed[];
  against: Weighed[];
  /** Positive for an approval: the expected decision in units of its uncertainty. */
  score: number;
  /** The regime that explains the judgments best. */
  regime: Regime;
  /** Whether the reviewer, more than any rule, decides what becomes of such items. */
  isDisputed: boolean;
}

/** What decisions about similar items have in common before a word is compared. */
const COMMON = 0.3;
/** How much numbers of one unit add, if they are equal: many rules are limits. */
const BY_NUMBERS = 0.5;
/** The variance of a decision about the very same item, since people err. */
const MISTAKES = 0.5;
const MISTAKES_OF_AGENTS = 1.5 * MISTAKES;
/** How that variance grows with the distance from the question. */
const BY_DISTANCE = 0.2;
/**
 * How far better hypotheses outweigh the others. Above 1, since decisions are yes or no, and a
 * process of numbers explains all of them too well.
 */
const PREFERENCE = 3;
/** Of the greatest part in a decision; judgments with less are not what it rests on. */
const MIN_WEIGHT = 0.05;
/** A side of fewer reviewers is an opinion, not a dispute. */
const MIN_REVIEWERS = 2;

interface Considered {
  regime: Regime;
  prediction: Prediction;
  /** The logarithm of its probability, less a constant. */
  plausibility: number;
}

/**
 * Judges an item by the judgments of similar ones: every regime predicts the decision, and counts by
 * how well it explains the judgments.
 */
export async function judge(question: Question, { vector, judgments }: Found): Promise<Verdict> {
  const texts = [...judgments.map(({ query }) => query), question.query];
  const numbers: Array<Map<string, number>> = [];
  for (const text of texts) {
    await nextChunk();
    numbers.push(numbersOf(text));
  }
  const { organizationId, now: createdMs } = question;
  const items = [...judgments, { vector, organizationId, createdMs, reviewerId: null }];
  const alike = matrixOf(items.length, (i, j) => {
    const [a, b] = [items[i], items[j]];
    if (!a || !b) return 0;
    const isAcross = a.organizationId !== b.organizationId && a.organizationId !== undefined;
    const likeness =
      COMMON + cosine(a.vector, b.vector) + BY_NUMBERS * agreementOf(numbers[i], numbers[j]);
    return isAcross && b.organizationId !== undefined ? ACROSS_ORGANIZATIONS * likeness : likeness;
  });
  const values = Float64Array.from(judgments, ({ stance }) => stance);
  const most = judgments[0]?.similarity ?? 1;
  const noise = Float64Array.from(
    judgments,
    ({ judgeType, similarity }) =>
      (judgeType === 'agent' ? MISTAKES_OF_AGENTS : MISTAKES) + (BY_DISTANCE * most) / similarity,
  );
  const predictWhere = async (isCommon: (a: number, b: number) => boolean) => {
    await nextChunk();
    return predict(
      matrixOf(items.length, (i, j) =>
        i === j || isCommon(i, j) ? (alike[i * items.length + j] ?? 0) : 0,
      ),
      values,
      noise,
    );
  };
  const considered: Considered[] = [];
  for (const regime of regimesOf(question, judgments)) {
    const parts = items.map(regime.partOf);
    const prediction = await predictWhere((i, j) => parts[i] === parts[j]);
    const plausibility = PREFERENCE * prediction.evidence + regime.prior;
    considered.push({ regime, prediction, plausibility });
  }
  const byReviewer = await predictWhere((i, j) => {
    const reviewerId = items[i]?.reviewerId;
    return reviewerId !== null && reviewerId === items[j]?.reviewerId;
  });
  const best = considered.reduce((a, b) => (b.plausibility > a.plausibility ? b : a));
  const weighed = weigh(judgments, best.prediction);
  let [all, score] = [0, 0];
  for (const { prediction, plausibility } of considered) {
    const weight = Math.exp(plausibility - best.plausibility);
    all += weight;
    score += (weight * prediction.mean) / Math.sqrt(prediction.variance + MISTAKES);
  }
  const isByReviewer = PREFERENCE * byReviewer.evidence > best.plausibility + Math.log(all);
  return {
    for: weighed.filter(({ stance }) => stance === 1),
    against: weighed.filter(({ stance }) => stance === -1),
    score: score / all,
    regime: best.regime,
    isDisputed:
      isByReviewer && [1, -1].every((side) => reviewersOf(judgments, side) >= MIN_REVIEWERS),
  };
}

function weigh(judgments: SimilarJudgment[], { shares }: Prediction): Weighed[] {
  const most = Math.max(Number.EPSILON, ...shares);
  return judgments
    .map((judgment, index) => ({ ...judgment, weight: (shares[index] ?? 0) / most }))
    .filter(({ weight }) => weight >= MIN_WEIGHT)
    .sort((a, b) => b.weight - a.weight);
}

/** Judgments without a reviewer may all be of one. */
const reviewersOf = (judgments: SimilarJudgment[], side: number): number =>
  new Set(judgments.filter(({ stance }) => stance === side).map(({ reviewerId }) => reviewerId))
    .size;

/** From 0 for no unit in common to 1 for equal numbers of all units in common. */
function agreementOf(a = new Map<string, number>(), b = new Map<string, number>()): number {
  let [units, sum] = [0, 0];
  for (const [unit, value] of a) {
    const other = b.get(unit);
    if (other === undefined) continue;
    units += 1;
    sum += Math.exp(-Math.abs(value - other));
  }
  return units === 0 ? 0 : sum / units;
}

/** A symmetric matrix, row by row. */
function matrixOf(size: number, entryOf: (row: number, column: number) => number): Float64Array {
  const matrix = new Float64Array(size * size);
  for (let i = 0; i < size; i++) {
    for (let j = 0; j <= i; j++) {
      const entry = entryOf(i, j);
      matrix[i * size + j] = entry;
      matrix[j * size + i] = entry;
    }
  }
  return matrix;
}
