import { rarity } from '../text/similarity.ts';
import { ANY_NUMBER, NEGATED, type TextFeatures } from './text-features.ts';

/**
 * The texts of judgments and, as the last one, of a question, as vectors of what may make a
 * difference between them.
 */
export interface TextVectors {
  /** What each dimension stands for: a word, or the unit of a number. */
  dimensions: Dimension[];
  /** The dimensions of each text in which it is not 0, with its values. */
  texts: Array<{ indexes: number[]; values: number[] }>;
}

export interface Dimension {
  word: string;
  isNumber: boolean;
  /** How much it may matter, before anything is known about decisions. */
  prior: number;
}

/** How the prior grows with the rarity of a word among all judgments. */
const RARITY_POWER = 1.7;
const USUAL_RARITY = 4;
/** The prior of words that are not counted: stop words. */
const UNCOUNTED = 0.5;
const NUMBER_PRIOR = 2.6;
/** The fewest texts with a number of a unit, and the least deviation of their logarithms. */
const LEAST_NUMBERS = 4;
const LEAST_DEVIATION = 0.05;
/** The most standard deviations that a number counts. */
const MOST_DEVIATIONS = 2;

/** In how many judgments a word occurs; undefined for words that are not counted. */
export interface WordCounts {
  all: number;
  judgmentsWith(word: string): number | undefined;
}

export function vectorsOf(texts: TextFeatures[], counts: WordCounts): TextVectors {
  const vectors: TextVectors = {
    dimensions: [],
    texts: texts.map(() => ({ indexes: [], values: [] })),
  };
  addWords(vectors, texts, counts);
  addNumbers(vectors, texts);
  return vectors;
}

/** Words of one text only, and words of all texts, make no difference. */
function addWords(
  { dimensions, texts: vectors }: TextVectors,
  texts: TextFeatures[],
  counts: WordCounts,
) {
  const within = new Map<string, number>();
  for (const { words } of texts) {
    for (const word of words.keys()) within.set(word, (within.get(word) ?? 0) + 1);
  }
  const indexes = new Map<string, number>();
  for (const [word, times] of within) {
    if (times < 2 || times === texts.length) continue;
    indexes.set(word, dimensions.length);
    const locally = Math.min(1, Math.log((texts.length + 0.5) / times));
    dimensions.push({ word, isNumber: false, prior: priorOf(word, counts) * locally });
  }
  texts.forEach(({ words }, row) => {
    for (const word of words.keys()) {
      const index = indexes.get(word);
      if (index === undefined) continue;
      vectors[row]?.indexes.push(index);
      vectors[row]?.values.push(1);
    }
  });
}

function priorOf(word: string, { all, judgmentsWith }: WordCounts): number {
  if (word === NEGATED || word === ANY_NUMBER || word.includes(' ')) return 1;
  const judgments = judgmentsWith(word);
  if (judgments === undefined) return UNCOUNTED;
  return (rarity(judgments, all) / USUAL_RARITY) ** RARITY_POWER;
}

/** Numbers with the same unit are compared by their size. */
function addNumbers({ dimensions, texts: vectors }: TextVectors, texts: TextFeatures[]) {
  const units = new Set(texts.flatMap(({ numbers }) => [...numbers.keys()]));
  for (const unit of units) {
    const values = texts.flatMap(({ numbers }) => numbers.get(unit) ?? []);
    if (values.length < LEAST_NUMBERS) continue;
    const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
    const squares = values.reduce((sum, value) => sum + (value - mean) ** 2, 0);
    const deviation = Math.sqrt(squares / values.length);
    if (deviation < LEAST_DEVIATION) continue;
    texts.forEach(({ numbers }, row) => {
      const value = numbers.get(unit);
      if (value === undefined) return;
      const deviations = (value - mean) / deviation;
      vectors[row]?.indexes.push(dimensions.length);
      vectors[row]?.values.push(Math.max(-MOST_DEVIATIONS, Math.min(MOST_DEVIATIONS, deviations)));
    });
    dimensions.push({ word: unit, isNumber: true, prior: NUMBER_PRIOR });
  }
}

/** The variance of what all similar items have in common, and of what their words add. */
const COMMON = 6;
const BY_WORDS = 3;

/** How alike the decisions about each two texts are expected to be: a covariance matrix. */
export function likenessOf(
  { dimensions, texts }: TextVectors,
  relevance: Float64Array,
): Float64Array {
  const size = texts.length;
  const matrix = new Float64Array(size * size);
  const weighted = new Float64Array(dimensions.length);
  for (const [i, one] of texts.entries()) {
    weighted.fill(0);
    one.indexes.forEach((dimension, n) => {
      weighted[dimension] = (one.values[n] ?? 0) * (relevance[dimension] ?? 0);
    });
    for (let j = 0; j <= i; j++) {
      const { indexes = [], values = [] } = texts[j] ?? {};
      let sum = 0;
      for (let n = 0; n < indexes.length; n++) {
        sum += (weighted[indexes[n] ?? 0] ?? 0) * (values[n] ?? 0);
      }
      matrix[i * size + j] = sum;
    }
  }
  return normalised(matrix, size);
}

/** Long texts have larger vectors; half of that (geometrically) is taken back. */
function normalised(matrix: Float64Array, size: number): Float64Array {
  const squares = Array.from({ length: size }, (_, i) => Math.max(1e-6, matrix[i * size + i] ?? 0));
  const mean = squares.reduce((sum, square) => sum + square, 0) / size;
  const lengths = squares.map((square) => (square * mean) ** 0.25);
  for (let i = 0; i < size; i++) {
    for (let j = 0; j <= i; j++) {
      const cosine = (matrix[i * size + j] ?? 0) / ((lengths[i] ?? 1) * (lengths[j] ?? 1));
      matrix[i * size + j] = COMMON + BY_WORDS * cosine;
      matrix[j * size + i] = COMMON + BY_WORDS * cosine;
    }
  }
  return matrix;
}
