import type { SimilarJudgment } from '../retrieve/find-similar.ts';
import { decisiveWord } from './decisive-word.ts';
import { detectReversal } from './detect-reversal.ts';
import type { Evidence, Weighed } from './evidence.ts';
import { type Prediction, predict } from './gaussian-process.ts';
import { likenessOf, type TextVectors, vectorsOf, type WordCounts } from './likeness.ts';
import { featuresOf } from './text-features.ts';

/** An item that a decision is asked for. */
export interface Question {
  query: string;
  organizationId?: string | undefined;
  documentId?: string | undefined;
  now: number;
}

const DAY_MS = 86_400_000;
/** How long it takes until decisions have lost most of what they have in common (1/e is left). */
const MEMORY_DAYS = 415;
/** How much decisions in different organizations, or documents of one, have in common. */
const OTHER_ORGANIZATION = 0.63;
const OTHER_DOCUMENT = 0.8;
/** How much is left of that before and after a change, and inside and outside of an own rule. */
const ACROSS_CHANGE = 0.005;
const ACROSS_RULE = 0.045;
/** A change separates at least so many judgments, and is looked for at so many times. */
const LEAST_PART = 3;
const CHANGES = 12;
/** How far better hypotheses outweigh the others. */
const PREFERENCE = 3;
/** The variance of a decision about what was decided already. People err, and agents more often. */
const MISTAKES = 1.37;
const MISTAKES_OF_AGENTS = 1.5 * MISTAKES;
/** How much a word may matter that seemed not to matter at first. */
const LEAST_RELEVANCE = 0.022;
/** Judgments with less of the greatest weight than this are not what a decision rests on. */
const LEAST_WEIGHT = 0.02;
/** The weight of a judgment that adds nothing to others of the same time and place. */
const REDUNDANT = 0.1;

/** Assumes that decisions changed at a time, or that a place has a rule of its own. */
interface Hypothesis {
  covariance: Float64Array;
  /** The logarithm of its probability beforehand, less a constant. */
  prior: number;
}

/**
 * Judges an item by judgments of similar items. They are compared in what makes a difference among
 * them, so that one word may decide; how far a judgment counts is learned from all of them.
 */
export function judge(question: Question, found: SimilarJudgment[], counts: WordCounts): Evidence {
  const texts = [...found, question].map(({ query }) => featuresOf(query));
  const vectors = vectorsOf(texts, counts);
  const values = Float64Array.from(found, ({ stance }) => stance);
  const noise = Float64Array.from(found, ({ judgeType }) =>
    judgeType === 'agent' ? MISTAKES_OF_AGENTS : MISTAKES,
  );
  const hypotheses = hypothesesOf(question, found);
  const consider = (relevance: Float64Array) => {
    const likeness = likenessOf(vectors, relevance);
    return hypotheses.map(({ covariance, prior }) => {
      const together = covariance.map((value, index) => value * (likeness[index] ?? 0));
      const prediction = predict(together, values, noise);
      return { prediction, covariance, plausibility: prediction.evidence + prior };
    });
  };
  const priors = Float64Array.from(vectors.dimensions, ({ prior }) => prior);
  const effects = effectsOf(vectors, priors, mostPlausible(consider(priors)));
  const considered = consider(relevanceOf(priors, effects));
  const weighed = weigh(found, mostPlausible(considered));
  return {
    for: weighed.filter(({ stance }) => stance === 1),
    against: weighed.filter(({ stance }) => stance === -1),
    score: scoreOf(considered),
    reversedAt: detectReversal(weighed),
    decisive: decisiveWord(vectors, effects, values, texts),
  };
}

interface Considered {
  prediction: Prediction;
  covariance: Float64Array;
  plausibility: number;
}

const mostPlausible = (considered: Considered[]): Considered =>
  considered.reduce((best, one) => (one.plausibility > best.plausibility ? one : best));

function hypothesesOf(question: Question, found: SimilarJudgment[]): Hypothesis[] {
  const items = [
    ...found,
    { ...question, createdMs: question.now, organizationId: question.organizationId ?? null },
  ];
  const usual = matrixOf(items, (a, b) => inTime(a, b) * inPlace(a, b, question));
  const times = found.map(({ createdMs }) => createdMs).sort((a, b) => a - b);
  const step = Math.max(1, Math.floor(times.length / CHANGES));
  const changes = times.filter(
    (_, index) =>
      index >= LEAST_PART &&
      index <= times.length - LEAST_PART &&
      (index - LEAST_PART) % step === 0,
  );
  const rules = [undefined, ...ownPlaces(question, found)];
  return [undefined, ...changes].flatMap((change) =>
    rules.map((isOwn): Hypothesis => {
      const apart = matrixOf(
        items,
        (a, b) =>
          (change === undefined || a.createdMs >= change === b.createdMs >= change
            ? 1
            : ACROSS_CHANGE) * (isOwn === undefined || isOwn(a) === isOwn(b) ? 1 : ACROSS_RULE),
      );
      const prior = change === undefined ? 0 : -Math.log(changes.length);
      return { covariance: apart.map((value, index) => value * (usual[index] ?? 0)), prior };
    }),
  );
}

interface Placed {
  organizationId?: string | null | undefined;
  documentId?: string | null | undefined;
  createdMs: number;
}

const inTime = (a: Placed, b: Placed): number =>
  Math.exp(-Math.abs(a.createdMs - b.createdMs) / (MEMORY_DAYS * DAY_MS));

/** A question about all content is as near to one organization as to another. */
function inPlace(a: Placed, b: Placed, question: Question): number {
  const isAboutAll = question.organizationId === undefined && 'now' in a !== 'now' in b;
  if (isAboutAll) return 1;
  if ((a.organizationId ?? null) !== (b.organizationId ?? null)) return OTHER_ORGANIZATION;
  return (a.documentId ?? null) === (b.documentId ?? null) ? 1 : OTHER_DOCUMENT;
}

/** The organization and the document of a question, where judgments are inside and outside. */
function ownPlaces(
  { organizationId, documentId }: Question,
  found: SimilarJudgment[],
): Array<(item: Placed) => boolean> {
  if (organizationId === undefined) return [];
  const inOrganization = (item: Placed) => item.organizationId === organizationId;
  const inDocument = (item: Placed) => inOrganization(item) && item.documentId === documentId;
  const places = documentId === undefined ? [inOrganization] : [inOrganization, inDocument];
  return places.filter((isOwn) => found.some(isOwn) && !found.every(isOwn));
}

function matrixOf<Item>(items: Item[], entryOf: (a: Item, b: Item) => number): Float64Array {
  const size = items.length;
  const matrix = new Float64Array(size * size);
  items.forEach((a, i) => {
    items.slice(0, i + 1).forEach((b, j) => {
      const value = entryOf(a, b);
      matrix[i * size + j] = value;
      matrix[j * size + i] = value;
    });
  });
  return matrix;
}

/** How far each dimension moves the decision towards an approval. */
function effectsOf(
  { dimensions, texts }: TextVectors,
  priors: Float64Array,
  { prediction, covariance }: Considered,
): Float64Array {
  const effects = new Float64Array(dimensions.length);
  const n = prediction.dual.length;
  for (let i = 0; i < n; i++) {
    const { indexes = [], values = [] } = texts[i] ?? {};
    const pull = (prediction.dual[i] ?? 0) * (covariance[n * (n + 1) + i] ?? 0);
    indexes.forEach((dimension, at) => {
      effects[dimension] =
        (effects[dimension] ?? 0) + pull * (values[at] ?? 0) * (priors[dimension] ?? 0);
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
const LEAST_VARIANCE = 0.26;

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
