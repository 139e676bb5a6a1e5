import { nextChunk } from '../../../platform/event-loop.ts';
import type { SimilarJudgment } from '../retrieve/find-similar.ts';
import { isContested } from './contested.ts';
import { decisiveWord } from './decisive-word.ts';
import { detectReversal } from './detect-reversal.ts';
import type { Evidence, Weighed } from './evidence.ts';
import { expectedByOthers, type Prediction, predict } from './gaussian-process.ts';
import { type Hypothesis, hypothesesOf, type Question } from './hypotheses.ts';
import { likenessOf, type TextVectors, vectorsOf, type WordCounts } from './likeness.ts';
import { featuresOf, type TextFeatures } from './text-features.ts';

/** How far better hypotheses outweigh the others. */
const PREFERENCE = 5;
/** The variance of a decision about what was decided already. People err, and agents more often. */
const MISTAKES = 0.7;
const MISTAKES_OF_AGENTS = 1.5 * MISTAKES;
/** How that variance grows for texts that are less similar than the most similar one. */
const DISTANCE = 1.25;
/** How much that variance grows for a decision that all others contradict: it is likely a slip. */
const SLIPS = 25;
/** How much of a score is left where people dispute the matter. */
const DISPUTED = 0.5;
/** So few judgments leave half of a score: exceptions and changes may be unknown yet. */
const FEW = 8;
/** How often the words that matter, and slips, are looked for. */
const PASSES = 2;
/** How much a word may matter that seemed not to matter before. */
const LEAST_RELEVANCE = 0.01;
/** Judgments with less of the greatest weight than this are not what a decision rests on. */
const LEAST_WEIGHT = 0.02;
/** The weight of a judgment that adds nothing to others of the same time and place. */
const REDUNDANT = 0.1;

/**
 * Judges an item by judgments of similar items. They are compared in what makes a difference among
 * them, so that one word may decide; how far a judgment counts is learned from all of them.
 */
export async function judge(
  question: Question,
  found: SimilarJudgment[],
  counts: WordCounts,
): Promise<Evidence> {
  const texts: TextFeatures[] = [];
  for (const { query } of [...found, question]) {
    await nextChunk();
    texts.push(featuresOf(query));
  }
  const vectors = vectorsOf(texts, counts);
  const hypotheses = hypothesesOf(question, found);
  const priors = Float64Array.from(vectors.dimensions, ({ prior }) => prior);
  const values = Float64Array.from(found, ({ stance }) => stance);
  const usual = noiseOf(found);
  const considerAll = (relevance: Float64Array, noise: Float64Array) =>
    consider({ hypotheses, likeness: likenessOf(vectors, relevance), values, noise });
  let relevance: Float64Array = priors;
  let effects: Float64Array = priors;
  let considered = await considerAll(relevance, usual);
  for (let pass = 0; pass < PASSES; pass++) {
    const best = mostPlausible(considered);
    effects = effectsOf(vectors, relevance, best);
    relevance = relevanceOf(priors, effects);
    considered = await considerAll(relevance, withSlips(usual, values, best));
  }
  const best = mostPlausible(considered);
  const weighed = weigh(found, best);
  const disputed = isContested({ found, values, noise: usual, ...best });
  const certainty = (found.length / (found.length + FEW)) * (disputed ? DISPUTED : 1);
  return {
    for: weighed.filter(({ stance }) => stance === 1),
    against: weighed.filter(({ stance }) => stance === -1),
    score: scoreOf(considered) * certainty,
    reversedAt: detectReversal(weighed, best.change !== undefined),
    isContested: disputed,
    decisive: decisiveWord(vectors, effects, values, texts),
  };
}

interface Given {
  hypotheses: Hypothesis[];
  likeness: Float64Array;
  /** The decisions, with their variances. */
  values: Float64Array;
  noise: Float64Array;
}

interface Considered {
  prediction: Prediction;
  /** By time and place, and together with the likeness of the texts. */
  covariance: Float64Array;
  together: Float64Array;
  change: number | undefined;
  plausibility: number;
}

/** Predicts the decision under each hypothesis. */
async function consider({ hypotheses, likeness, values, noise }: Given): Promise<Considered[]> {
  const considered: Considered[] = [];
  for (const { covariance, change, prior } of hypotheses) {
    await nextChunk();
    const together = covariance.map((value, index) => value * (likeness[index] ?? 0));
    const prediction = predict(together, values, noise);
    const plausibility = prediction.evidence + prior;
    considered.push({ prediction, covariance, together, change, plausibility });
  }
  return considered;
}

/** The variance of each decision: how often people err, and how far the text is from the question. */
function noiseOf(found: SimilarJudgment[]): Float64Array {
  const most = Math.max(...found.map(({ similarity }) => similarity));
  return Float64Array.from(found, ({ judgeType, similarity }) => {
    const mistakes = judgeType === 'agent' ? MISTAKES_OF_AGENTS : MISTAKES;
    return mistakes * (most / similarity) ** DISTANCE;
  });
}

/** The variance of each decision, which grows as far as all others say the opposite of it. */
function withSlips(
  noise: Float64Array,
  values: Float64Array,
  { together }: Considered,
): Float64Array {
  const expected = expectedByOthers(together, values, noise);
  return noise.map((variance, index) => {
    const contradiction = Math.max(0, -(values[index] ?? 0) * (expected[index] ?? 0));
    return variance * (1 + SLIPS * contradiction ** 2);
  });
}

const mostPlausible = (considered: Considered[]): Considered =>
  considered.reduce((best, one) => (one.plausibility > best.plausibility ? one : best));

/** How far each dimension moves the decision towards an approval. */
function effectsOf(
  { dimensions, texts }: TextVectors,
  relevance: Float64Array,
  { prediction, covariance }: Considered,
): Float64Array {
  const effects = new Float64Array(dimensions.length);
  const n = prediction.dual.length;
  for (let i = 0; i < n; i++) {
    const { indexes = [], values = [] } = texts[i] ?? {};
    const pull = (prediction.dual[i] ?? 0) * (covariance[n * (n + 1) + i] ?? 0);
    indexes.forEach((dimension, at) => {
      effects[dimension] =
        (effects[dimension] ?? 0) + pull * (values[at] ?? 0) * (relevance[dimension] ?? 0);
    });
  }
  return effects;
}

/** Dimensions with little effect get little weight, so that a few decide. */
function relevanceOf(priors: Float64Array, effects: Float64Array): Float64Array {
  const most = effects.reduce((best, effect) => Math.max(best, Math.abs(effect)), 0) || 1;
  return priors.map(
    (prior, index) => prior * (LEAST_RELEVANCE + Math.abs(effects[index] ?? 0) / most),
  );
}

/** The variance that even what is known exactly keeps. */
const LEAST_VARIANCE = 0.6;

/** The mean of all hypotheses by their plausibility, in units of its uncertainty. */
function scoreOf(considered: Considered[]): number {
  const best = mostPlausible(considered).plausibility;
  let [sum, mean, square] = [0, 0, 0];
  for (const { prediction, plausibility } of considered) {
    const weight = Math.exp(PREFERENCE * (plausibility - best));
    sum += weight;
    mean += weight * prediction.mean;
    square += weight * (prediction.variance + prediction.mean ** 2);
  }
  mean /= sum;
  return mean / Math.sqrt(LEAST_VARIANCE + Math.max(0, square / sum - mean ** 2));
}

/**
 * The judgments that a decision rests on, the weightiest first. One that merely says the same as
 * others counts a little for its time and place.
 */
function weigh(found: SimilarJudgment[], { prediction, covariance }: Considered): Weighed[] {
  const { shares } = prediction;
  const most = shares.reduce((best, share) => Math.max(best, share), 0) || 1;
  const asked = covariance.length - shares.length - 1;
  return found
    .map((judgment, index) => {
      const present = REDUNDANT * (covariance[asked + index] ?? 0);
      return { ...judgment, weight: (shares[index] ?? 0) / most + present };
    })
    .filter(({ weight }) => weight >= LEAST_WEIGHT)
    .sort((a, b) => b.weight - a.weight);
}
