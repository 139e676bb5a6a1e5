import { mapInChunks } from '../../../platform/chunks.ts';
import { nextChunk } from '../../../platform/event-loop.ts';
import type { Precedent } from '../retrieve/find-similar.ts';
import { cosine, organizationFactor, type Ranked, type Vector } from '../retrieve/rank.ts';
import { numbersOf } from '../text/terms.ts';
import { type Prediction, predict } from './gaussian-process.ts';
import type { SuggestDecisionInput } from './schema.ts';

/** A judgment with its part in the decision, relative to the greatest one. */
export interface Weighed extends Precedent {
  weight: number;
}

/** The decision about an item that the judgments of similar items suggest. */
export interface Verdict {
  /** The judgments for and against that the decision rests on, the weightiest first. */
  weighed: Weighed[];
  /** Positive for an approval: the expected decision in units of its uncertainty. */
  score: number;
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
  isOwn: boolean;
  /** Its probability before the judgments are known, compared with that of one rule for all. */
  odds: number;
}

/** An item is known if its two nearest judgments are at least this near on average. */
const MIN_NEARNESS = 0.3;
/** The covariance of any two decisions, before their words are compared. */
const COMMON_COVARIANCE = 0.3;
/** How much numbers of one unit add, if they are equal: many rules are limits. */
const NUMBER_COVARIANCE = 0.5;
/** The variance of decisions by one rule: about one in seventeen is a slip. */
const NOISE_VARIANCE = 0.22;
/** How many times more the decisions of agents vary than those of people. */
const AGENT_FACTOR = 1.5;
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
/**
 * The number of times at which a change is looked for. Twelve locate a change within a year to
 * about a month, and each costs one more prediction.
 */
const MAX_CHANGES = 12;
/** A change leaves at least this many judgments on either side, since one may be a mistake. */
const MIN_PART = 2;

interface Item {
  organizationId: string | null | undefined;
  reviewerId: string | null;
  createdMs: number;
  vector: Vector;
  numbers: ReadonlyMap<string, number>;
}

/**
 * Judges an item by the judgments of similar ones: every regime predicts the decision, and counts
 * by how well it explains the judgments. Returns undefined where none is similar.
 *
 * @param createdMs when the decision is asked for
 */
export async function judge(
  { query, organizationId }: SuggestDecisionInput,
  { vector, nearness, judgments }: Ranked<Precedent>,
  createdMs: number,
): Promise<Verdict | undefined> {
  if (nearness < MIN_NEARNESS) return undefined;
  const items: Item[] = await mapInChunks(judgments, (one) => ({
    ...one,
    numbers: numbersOf(one.judgment.query),
  }));
  items.push({ organizationId, reviewerId: null, createdMs, vector, numbers: numbersOf(query) });
  const predictBy = predictorFor(judgments, items);
  const hypotheses: Array<Prediction & { regime: Regime }> = [];
  for (const regime of regimesOf(judgments, organizationId)) {
    const { change = -Infinity, isOwn } = regime;
    const partOf = (item: Item) =>
      `${item.createdMs >= change} ${isOwn && item.organizationId === organizationId}`;
    hypotheses.push({ regime, ...(await predictBy(partOf)) });
  }
  const byReviewer = await predictBy((item, index) => item.reviewerId ?? index, ACROSS_REVIEWERS);
  const most = Math.max(...hypotheses.map(({ evidence }) => evidence));
  const likelihoodOf = ({ evidence }: Prediction) => Math.exp(PREFERENCE * (evidence - most));
  const weights = hypotheses.map((one) => one.regime.odds * likelihoodOf(one));
  const scores = hypotheses.map(
    ({ mean, variance }, n) => ((weights[n] ?? 0) * mean) / Math.sqrt(variance + NOISE_VARIANCE),
  );
  const score = sum(scores) / sum(weights);
  // A regime that expects the opposite decision cannot give the reasons for this one.
  const agreeing = hypotheses.map(({ mean }, n) => (mean * score > 0 ? (weights[n] ?? 0) : 0));
  const best = hypotheses[agreeing.indexOf(Math.max(...agreeing))];
  if (!best) return undefined;
  const meanLikelihood = sum(weights) / sum(hypotheses.map(({ regime }) => regime.odds));
  const isDisputed =
    likelihoodOf(byReviewer) > meanLikelihood &&
    ([1, -1] as const).every((side) => reviewersOf(sideOf(judgments, side)) >= MIN_REVIEWERS);
  // The first regime, one rule for all, weighs both sides of a dispute; another may leave out a whole side.
  const { shares } = isDisputed ? (hypotheses[0] ?? best) : best;
  const maxShare = Math.max(Number.EPSILON, ...shares);
  const weighed = judgments
    .map((judgment, index) => ({ ...judgment, weight: (shares[index] ?? 0) / maxShare }))
    .filter(({ weight }) => weight >= MIN_WEIGHT)
    .sort((a, b) => b.weight - a.weight);
  return { weighed, score, regime: best.regime, isDisputed };
}

/**
 * Returns the regimes: first one rule; then a change, a rule of the organization's own, and both. Nothing
 * speaks for or against a change or an own rule beforehand. So their odds are even, and those of a
 * change are divided by the times at which it may have been.
 */
function regimesOf(judgments: Precedent[], organizationId: string | undefined): Regime[] {
  const own = judgments.filter((one) => one.organizationId === organizationId).length;
  const canBeOwn = organizationId !== undefined && own > 0 && own < judgments.length;
  const changes = changesOf(judgments);
  return [undefined, ...changes].flatMap((change) => {
    const odds = change === undefined ? 1 : 1 / changes.length;
    return (canBeOwn ? [false, true] : [false]).map((isOwn) => ({ change, isOwn, odds }));
  });
}

/** Times of judgments, evenly spread over those that leave enough on either side. */
function changesOf(judgments: Precedent[]): number[] {
  const times = judgments.map(({ createdMs }) => createdMs).sort((a, b) => a - b);
  const possible = times.filter(
    (time, index) =>
      index >= MIN_PART && index <= times.length - MIN_PART && time !== times[index - 1],
  );
  const count = Math.min(MAX_CHANGES, possible.length);
  return Array.from(
    { length: count },
    (_, n) => possible[Math.floor(((n + 0.5) * possible.length) / count)] ?? 0,
  );
}

/**
 * Returns a function that predicts the decision by a hypothesis, which divides the items into parts.
 * Decisions about items of different parts keep only `share` of their covariance. The question is the
 * last item.
 */
function predictorFor(judgments: Precedent[], items: Item[]) {
  const alike = items.map((a) => items.map((b) => textCovariance(a, b)));
  const values = judgments.map(({ stance }) => stance);
  const nearest = judgments[0]?.similarity ?? 1;
  // The less similar its item is, the more a decision varies from the one in question.
  const noise = judgments.map(
    ({ judgment: { judgeType }, similarity }) =>
      NOISE_VARIANCE * (1 + nearest / similarity) * (judgeType === 'agent' ? AGENT_FACTOR : 1),
  );
  return async (partOf: (item: Item, index: number) => unknown, share = 0) => {
    await nextChunk();
    const parts = items.map(partOf);
    const covariance = alike.map((row, i) =>
      row.map((entry, j) => (parts[i] === parts[j] ? entry : share * entry)),
    );
    return predict(covariance, values, noise);
  };
}

/** Returns the judgments for the item, or those against it. */
export const sideOf = <Judgment extends Precedent>(all: Judgment[], side: 1 | -1): Judgment[] =>
  all.filter(({ stance }) => stance === side);

/** All judgments without a reviewer count as those of one reviewer. */
export const reviewersOf = (judgments: Precedent[]): number =>
  new Set(judgments.map(({ reviewerId }) => reviewerId)).size;

const sum = (values: number[]): number => values.reduce((all, value) => all + value, 0);

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
  let total = 0;
  for (const [unit, value] of a) total += Math.exp(-Math.abs(value - (b.get(unit) ?? Infinity)));
  return total === 0 ? 0 : total / Math.sqrt(a.size * b.size);
}
