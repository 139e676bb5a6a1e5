import { mapInChunks } from '../../../platform/chunks.ts';
import { nextChunk } from '../../../platform/event-loop.ts';
import type { JudgmentRow } from '../judgments/query-judgments.ts';
import type { ComparedJudgment, SimilarJudgment } from '../retrieve/find-similar.ts';
import { cosine, organizationFactor, type Ranked, type Vector } from '../retrieve/rank.ts';
import { numbersOf } from '../text/terms.ts';
import { type Prediction, predict } from './gaussian-process.ts';
import { type Placed, type Question, type Regime, regimesOf } from './regimes.ts';

/** A judgment with its part in the decision, relative to the greatest one. */
export interface Weighed extends SimilarJudgment {
  weight: number;
}

/** The decision about an item that the judgments of similar items suggest. */
export interface Verdict {
  /** The judgments for and against that the decision rests on, the weightiest first. */
  weighed: Weighed[];
  /** Positive for an approval: the expected decision in units of its uncertainty. */
  score: number;
  /** The regime that explains the judgments best. */
  regime: Regime;
  /** Whether decisions about such items depend more on the reviewer than on any rule. */
  isDisputed: boolean;
}

/** An item counts as known if its two nearest judgments are at least this near on average. */
const MIN_NEARNESS = 0.3;
/** The most judgments that are weighed; more would hardly change the result. */
const MAX_WEIGHED = 40;
/** The covariance of any two decisions, before their words are compared. */
const COMMON_COVARIANCE = 0.3;
/** How much numbers of one unit add, if they are equal: many rules are limits. */
const NUMBER_COVARIANCE = 0.5;
/** The variance of a decision about the very same item: about one in sixteen is a slip. */
const NOISE_VARIANCE = 0.25;
/** How many times more the decisions of agents vary than those of people. */
const AGENT_FACTOR = 1.5;
/** How the variance grows with the distance from the question. */
const DISTANCE_VARIANCE = 0.2;
/**
 * How strongly better hypotheses outweigh the others. It is above 1, since decisions are yes or no,
 * which a process of numbers explains too well under every hypothesis.
 */
const PREFERENCE = 2;
/** A suggestion rests only on judgments with at least this part of the greatest weight. */
const MIN_WEIGHT = 0.05;
/**
 * The part of the covariance that decisions of different reviewers keep under the hypothesis that
 * reviewers disagree. It is not 0, since people who dispute one matter agree about others, and the
 * judgments that were found are about several matters.
 */
const ACROSS_REVIEWERS = 0.5;
/** A side of fewer reviewers is an opinion, not a dispute. */
const MIN_REVIEWERS = 2;

interface Item extends Placed {
  vector: Vector;
  numbers: ReadonlyMap<string, number>;
  reviewerId: string | null;
}

/**
 * Judges an item by the judgments of similar ones: every regime predicts the decision, and counts
 * by how well it explains the judgments. Returns undefined where none is similar.
 */
export async function judge(
  question: Question,
  { vector, nearness, judgments: found }: Ranked<ComparedJudgment>,
): Promise<Verdict | undefined> {
  if (nearness < MIN_NEARNESS || found.length === 0) return undefined;
  const judgments = found.slice(0, MAX_WEIGHED);
  const { query, organizationId, now: createdMs } = question;
  const asked = { query, vector, organizationId, createdMs, reviewerId: null };
  const items = await mapInChunks(
    [...judgments, asked],
    (one): Item => ({ ...one, numbers: numbersOf(one.query) }),
  );
  const predictBy = predictorFor(judgments, items);
  const hypotheses: Array<Prediction & { regime: Regime; logWeight: number }> = [];
  for (const regime of regimesOf(question, judgments)) {
    hypotheses.push({ regime, ...(await predictBy(regime.partOf, regime.prior)) });
  }
  const best = hypotheses.reduce((a, b) => (b.logWeight > a.logWeight ? b : a));
  let [totalWeight, totalScore] = [0, 0];
  for (const { mean, variance, logWeight } of hypotheses) {
    const weight = Math.exp(logWeight - best.logWeight);
    totalWeight += weight;
    totalScore += (weight * mean) / Math.sqrt(variance + NOISE_VARIANCE);
  }
  const reviewerOf = ({ reviewerId }: Item, index: number) => reviewerId ?? index;
  const byReviewer = await predictBy(reviewerOf, 0, ACROSS_REVIEWERS);
  const isDisputed =
    byReviewer.logWeight > best.logWeight + Math.log(totalWeight) &&
    ([1, -1] as const).every((side) => reviewersOf(sideOf(judgments, side)) >= MIN_REVIEWERS);
  // The first regime, one rule for all, weighs both sides of a dispute; another may leave out a whole side.
  const { shares } = isDisputed ? (hypotheses[0] ?? best) : best;
  const maxShare = Math.max(Number.EPSILON, ...shares);
  const weighed = judgments
    .map((judgment, index) => ({ ...judgment, weight: (shares[index] ?? 0) / maxShare }))
    .filter(({ weight }) => weight >= MIN_WEIGHT)
    .sort((a, b) => b.weight - a.weight);
  return { weighed, score: totalScore / totalWeight, regime: best.regime, isDisputed };
}

/**
 * Returns a function that predicts the decision by a hypothesis, which divides the items into parts.
 * Decisions about items of different parts keep only `share` of their covariance. The question is the
 * last item.
 */
function predictorFor(judgments: SimilarJudgment[], items: Item[]) {
  const alike = items.map((a) => items.map((b) => textCovariance(a, b)));
  const values = judgments.map(({ stance }) => stance);
  const nearest = judgments[0]?.similarity ?? 1;
  const noise = judgments.map(
    ({ judgeType, similarity }) =>
      NOISE_VARIANCE * (judgeType === 'agent' ? AGENT_FACTOR : 1) +
      (DISTANCE_VARIANCE * nearest) / similarity,
  );
  return async (partOf: (item: Item, index: number) => unknown, prior: number, share = 0) => {
    await nextChunk();
    const parts = items.map(partOf);
    const covariance = alike.map((row, i) =>
      row.map((entry, j) => (parts[i] === parts[j] ? entry : share * entry)),
    );
    const prediction = predict(covariance, values, noise);
    return { ...prediction, logWeight: PREFERENCE * prediction.evidence + prior };
  };
}

/** Returns the judgments for the item, or those against it. */
export const sideOf = <Judgment extends JudgmentRow>(all: Judgment[], side: 1 | -1): Judgment[] =>
  all.filter(({ stance }) => stance === side);

/** All judgments without a reviewer count as those of one reviewer. */
export const reviewersOf = (judgments: JudgmentRow[]): number =>
  new Set(judgments.map(({ reviewerId }) => reviewerId)).size;

function textCovariance(a: Item, b: Item): number {
  const likeness =
    COMMON_COVARIANCE +
    cosine(a.vector, b.vector) +
    NUMBER_COVARIANCE * agreementOf(a.numbers, b.numbers);
  return organizationFactor(a.organizationId, b.organizationId) * likeness;
}

/**
 * Compares numbers by unit: 0 for no unit in common, up to 1 for equal numbers of the same units.
 * The root makes it a covariance: a mean over the units in common would contradict itself among
 * three texts.
 */
function agreementOf(a: ReadonlyMap<string, number>, b: ReadonlyMap<string, number>): number {
  let sum = 0;
  for (const [unit, value] of a) sum += Math.exp(-Math.abs(value - (b.get(unit) ?? Infinity)));
  return sum === 0 ? 0 : sum / Math.sqrt(a.size * b.size);
}
