import { mapInChunks } from '../../../platform/chunks.ts';
import { nextLongTurn } from '../../../platform/event-loop.ts';
import type { Stance } from '../judgments/stance.ts';
import type { Precedent } from '../retrieve/find-similar.ts';
import { cosine, organizationFactor, type Ranked, type Vector } from '../retrieve/rank.ts';
import { numbersOf } from '../text/terms.ts';
import { type Prediction, predict } from './gaussian-process.ts';
import type { SuggestDecisionInput } from './schema.ts';

/** The decision about an item that the judgments of similar items suggest. */
export interface Verdict {
  /** The judgments for and against that the decision rests on, the most similar first. */
  support: Precedent[];
  /** The probability that the item is to be approved. */
  approval: number;
  /** The regime that explains the judgments best, of those that expect the same decision. */
  regime: Regime;
  /** Whether decisions about such items depend more on the reviewer than on any rule. */
  isDisputed: boolean;
}

/** A hypothesis that divides judgments into parts, which have nothing in common with each other. */
interface Regime {
  /** When decisions changed, if they did: the time of the first judgment after the change. */
  change: number | undefined;
  /** Whether the organization in question decides by a rule of its own. */
  isOwnRule: boolean;
}

/** The prediction of a regime. */
interface Hypothesis extends Prediction {
  regime: Regime;
  /** The probability of the regime before the judgments are known, compared with one rule for all. */
  odds: number;
}

/** The fewest judgments that show a rule, since one may be a mistake. */
export const MIN_SUPPORT = 2;
/** An item is known if its two nearest judgments are at least this near on average. */
const MIN_NEARNESS = 0.3;
/**
 * The covariance of any two decisions before their words are compared. Equal numbers of one unit add as
 * much again, since many rules are limits, such as a maximum discount.
 */
const EXTRA_COVARIANCE = 0.5;
/** The variance of decisions by one rule: about one in fifteen is a slip. */
const NOISE_VARIANCE = 0.25;
/** The variance of agents' decisions, relative to that of people's decisions. */
const AGENT_FACTOR = 2;
/**
 * Makes the probabilities of hypotheses and of the decision more certain. Those of the Gaussian process are
 * too uncertain, since it assumes that a decision can be any number, while it is only yes or no.
 */
const SHARPNESS = 2.5;
/**
 * The part of the covariance that decisions of different reviewers keep under the hypothesis that
 * reviewers disagree. It is not 0, since people who dispute one matter agree about others, and the
 * judgments that were found are about several matters.
 */
const ACROSS_REVIEWERS = 0.5;
/** A suggestion rests only on judgments with at least this part of the greatest similarity. */
const MIN_RELATIVE_SIMILARITY = 0.25;

interface Item {
  organizationId: string | null | undefined;
  reviewerId: string | null;
  vector: Vector;
  numbers: ReadonlyMap<string, number>;
}

/** A judged item with its decision. */
interface Observation extends Item {
  createdMs: number;
  stance: Stance;
  /** The variance of the decision about it. */
  noise: number;
}

/**
 * Judges an item by the judgments of similar ones: every regime predicts the decision, and its
 * prediction counts by how well it explains the judgments. Returns undefined if none is similar enough.
 */
export async function judge(
  { query, organizationId }: SuggestDecisionInput,
  { vector, nearness, judgments }: Ranked<Precedent>,
): Promise<Verdict | undefined> {
  if (nearness < MIN_NEARNESS) return undefined;
  const maxSimilarity = Math.max(...judgments.map(({ similarity }) => similarity));
  const observed = await mapInChunks(judgments, (one): Observation => {
    // The less similar its item is, the more a decision varies from the one in question.
    const variance = NOISE_VARIANCE * (1 + maxSimilarity / one.similarity);
    const noise = one.judgment.judgeType === 'agent' ? AGENT_FACTOR * variance : variance;
    return { ...one, numbers: numbersOf(one.judgment.query), noise };
  });
  const question = { organizationId, reviewerId: null, vector, numbers: numbersOf(query) };
  const { hypotheses, disputed } = await hypothesesOf(observed, question);
  const maxEvidence = Math.max(...hypotheses.map(({ evidence }) => evidence));
  const likelihoodOf = (evidence = -Infinity) => Math.exp(SHARPNESS * (evidence - maxEvidence));
  const weighed = hypotheses.map((one) => ({
    regime: one.regime,
    weight: one.odds * likelihoodOf(one.evidence),
    score: one.mean / Math.sqrt(one.variance + NOISE_VARIANCE),
  }));
  const totalWeight = sum(weighed.map(({ weight }) => weight));
  const score = sum(weighed.map((one) => one.weight * one.score)) / totalWeight;
  // A regime that expects the opposite decision cannot give the reasons for this one.
  const agreeing = weighed.filter((one) => one.score * score >= 0);
  const [best] = agreeing.sort((a, b) => b.weight - a.weight);
  if (!best) return undefined;
  const { regime } = best;
  const near = judgments.filter(
    ({ similarity }) => similarity >= MIN_RELATIVE_SIMILARITY * maxSimilarity,
  );
  const meanLikelihood = totalWeight / sum(hypotheses.map(({ odds }) => odds));
  const isDisputed =
    likelihoodOf(disputed?.evidence) > meanLikelihood &&
    // With only one reviewer on a side, there is an opinion but no dispute.
    ([1, -1] as const).every((side) => countReviewers(sideOf(near, side)) > 1);
  const isInPart = ({ createdMs, organizationId: organizationOfJudgment }: Precedent) =>
    createdMs >= (regime.change ?? 0) &&
    (!regime.isOwnRule || organizationOfJudgment === organizationId);
  // A dispute rests on both sides, one of which a regime may leave out.
  const support = isDisputed ? near : near.filter(isInPart);
  return { support, approval: approvalOf(score, support.length), regime, isDisputed };
}

/**
 * Returns the probability, from 0 to 1, that an item is to be approved, to three digits. For an
 * even split, further digits would depend on the order in which the judgments were added up.
 *
 * @param score positive for an approval: the expected decision in units of its uncertainty
 * @param count the number of judgments that the score rests on; few may agree by chance
 */
export const approvalOf = (score: number, count: number): number =>
  round(0.5 + (0.5 * Math.tanh(SHARPNESS * score) * count) / (count + 1));

export const round = (probability: number): number => Math.round(probability * 1000) / 1000;

/**
 * Predicts the decision by each regime: one rule, a change at any time, the organization's own rule, or both.
 * Beforehand, nothing speaks for or against a change or an own rule. So their odds are even, and the odds of a
 * change are divided among the times at which it may have been. `disputed` is the prediction if reviewers disagree.
 */
async function hypothesesOf(observed: Observation[], question: Item) {
  const { organizationId } = question;
  const ownCount = observed.filter((one) => one.organizationId === organizationId).length;
  const canBeOwnRule = organizationId !== undefined && ownCount > 0 && ownCount < observed.length;
  const oldestFirst = observed.toSorted((a, b) => a.createdMs - b.createdMs);
  // At least `MIN_SUPPORT` judgments are on each side of a change.
  const changes = oldestFirst
    .map(({ createdMs }, index) => ({ change: createdMs, index }))
    .slice(MIN_SUPPORT, 1 - MIN_SUPPORT)
    .filter(({ change, index }) => change !== oldestFirst[index - 1]?.createdMs);
  const predictOldest = predictorFor(oldestFirst, question);
  const predictNewest = predictorFor(oldestFirst.toReversed(), question);
  const hypotheses: Hypothesis[] = [];
  for (const isOwnRule of canBeOwnRule ? [false, true] : [false]) {
    const partOf = (item: Item) => isOwnRule && item.organizationId === organizationId;
    const byOldest = await predictOldest(partOf);
    const byNewest = await predictNewest(partOf);
    for (const { change, index } of [{ change: undefined, index: 0 }, ...changes]) {
      // `older` predicts by the judgments before the change, and `newer` by those since.
      const older = byOldest[index];
      const newer = byNewest.at(-1 - index);
      if (!older || !newer) continue;
      const evidence = older.evidence + newer.evidence;
      const odds = change === undefined ? 1 : 1 / changes.length;
      hypotheses.push({ ...newer, evidence, regime: { change, isOwnRule }, odds });
    }
  }
  const reviewerOf = (item: Item, index: number) => item.reviewerId ?? index;
  const disputed = (await predictOldest(reviewerOf, ACROSS_REVIEWERS)).at(-1);
  return { hypotheses, disputed };
}

/**
 * Returns a function that predicts the decision by a hypothesis: from none of the observations, from the
 * first, from the first two, and so on. The hypothesis divides the items into parts. Decisions about items of
 * different parts keep the share `acrossParts` of their covariance.
 */
function predictorFor(observed: Observation[], question: Item) {
  const items = [...observed, question];
  const covariances = items.map((a, i) => items.slice(0, i + 1).map((b) => textCovariance(a, b)));
  const values = observed.map(({ stance }) => stance);
  const noise = observed.map((one) => one.noise);
  return async (partOf: (item: Item, index: number) => unknown, acrossParts = 0) => {
    await nextLongTurn();
    const parts = items.map(partOf);
    const covariance = covariances.map((row, i) =>
      row.map((entry, j) => (parts[i] === parts[j] ? entry : acrossParts * entry)),
    );
    return predict(covariance, values, noise);
  };
}

/** Returns the judgments for the item, or those against it. */
export const sideOf = (all: Precedent[], side: 1 | -1): Precedent[] =>
  all.filter(({ stance }) => stance === side);

/** Counts the reviewers. All judgments without a reviewer count as those of one reviewer. */
export const countReviewers = (judgments: Precedent[]): number =>
  new Set(judgments.map(({ reviewerId }) => reviewerId)).size;

const sum = (values: number[]): number => values.reduce((all, value) => all + value, 0);

function textCovariance(a: Item, b: Item): number {
  const extra = EXTRA_COVARIANCE * (1 + agreementOf(a.numbers, b.numbers));
  return (
    organizationFactor(a.organizationId, b.organizationId) * (cosine(a.vector, b.vector) + extra)
  );
}

/**
 * Compares numbers by unit: 0 for no unit in common, up to 1 for equal numbers of the same units.
 * The square root makes this a valid covariance. With a mean over the common units, the values for three
 * texts could contradict each other.
 */
function agreementOf(a: ReadonlyMap<string, number>, b: ReadonlyMap<string, number>): number {
  let total = 0;
  for (const [unit, value] of a) total += Math.exp(-Math.abs(value - (b.get(unit) ?? Infinity)));
  return total === 0 ? 0 : total / Math.sqrt(a.size * b.size);
}
