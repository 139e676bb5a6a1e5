import { nextLongTurn } from '../../../platform/event-loop.ts';

/** The keys of a text's terms with the times that each occurs. */
export type Terms = ReadonlyMap<string, number>;
/** A text as a vector of length 1: the weights of its terms, by their keys. */
export type Vector = ReadonlyMap<string, number>;

/** A judgment that may be similar to an item in question. */
export interface Candidate {
  recordId: string;
  position: string;
  terms: Terms;
  organizationId: string | null;
  documentId: string | null;
  /** Whether the document was deleted. Another one may use its id. */
  isDocumentDeleted: boolean;
  reviewerId: string | null;
  createdMs: number;
  /** Equal for items with the same terms. */
  fingerprint: string;
}

/** A judgment that was compared with an item in question. */
export interface Compared extends Candidate {
  vector: Vector;
  similarity: number;
}

/** The judgments of items like one in question, the most similar first. */
export interface Ranked<Judgment> {
  /** The item in question. */
  vector: Vector;
  /** How near the two nearest judgments are to the item, on average. */
  nearness: number;
  judgments: Judgment[];
}

/** The most judgments that are kept; more would hardly change a suggestion. */
const MAX_SIMILAR = 50;
/**
 * In queries with more terms than this, rare terms weigh more, the longer the query is: most of a long
 * text is common to all texts of its kind.
 */
const SHORT_TERMS = 6;
/** The least similarity of texts with the same words. Rounding may keep it below 1. */
const SAME_WORDS = 1 - 1e-9;
/** The factor for the similarity across organizations: people of the same organization decide more alike. */
const ACROSS_ORGANIZATIONS = 0.9;

type Organization = string | null | undefined;

/**
 * Returns the factor for the similarity of two items by their organizations. An item without a
 * particular organization (undefined) is equally near to all of them.
 */
export const organizationFactor = (one: Organization, other: Organization): number =>
  one === undefined || other === undefined || one === other ? 1 : ACROSS_ORGANIZATIONS;

/**
 * Compares candidates with an item, and keeps the most similar: those of its organization before
 * others, and the newer among equals.
 *
 * @param total the number of judgments of the tenant
 * @param counts in how many of them each term occurs, by its key; a term without a count is treated as rare
 */
export async function rank(
  terms: Terms,
  organizationId: string | undefined,
  candidates: Candidate[],
  total: number,
  counts: ReadonlyMap<string, number>,
): Promise<Ranked<Compared>> {
  const power = 1 + Math.max(0, Math.log2(terms.size / SHORT_TERMS));
  /** The weight of a term that occurs in `count` judgments: 1 if all have it, and more for rarer ones. */
  const weightIn = (count: number) =>
    (Math.log((1 + total) / (1 + Math.min(total, count))) + 1) ** power;
  const weights = new Map([...counts].map(([key, count]) => [key, weightIn(count)]));
  const maxWeight = weightIn(0);
  const weightOf = (key: string): number => weights.get(key) ?? maxWeight;
  const vector = vectorOf(terms, weightOf);
  const compared: Compared[] = [];
  for (const candidate of candidates) {
    await nextLongTurn();
    const candidateVector = vectorOf(candidate.terms, weightOf);
    const similarity = cosine(vector, candidateVector);
    if (similarity > 0) compared.push({ ...candidate, vector: candidateVector, similarity });
  }
  const rankOf = (one: Compared) =>
    one.similarity * organizationFactor(organizationId, one.organizationId);
  const judgments = compared
    .sort(
      (a, b) =>
        rankOf(b) - rankOf(a) || b.createdMs - a.createdMs || (a.recordId < b.recordId ? -1 : 1),
    )
    .slice(0, MAX_SIMILAR);
  const nearnessOf = ({ terms: candidateTerms, similarity }: Compared) => {
    // Texts with the same words are about the same item, even if most judgments have these words.
    if (similarity > SAME_WORDS) return 1;
    const shared = [...terms.keys()].filter((key) => candidateTerms.has(key));
    const mass = shared.reduce((sum, key) => sum + weightOf(key) / maxWeight, 0);
    // The cosine alone is high for two short texts with one common word, so it is reduced if that is frequent.
    return Math.sqrt(mass) * similarity;
  };
  const [first = 0, second = 0] = judgments.map(nearnessOf).sort((a, b) => b - a);
  return { vector, nearness: (first + second) / 2, judgments };
}

function vectorOf(terms: Terms, weightOf: (key: string) => number): Vector {
  const weights = [...terms].map(
    ([key, times]) => [key, (1 + Math.log(times)) * weightOf(key)] as const,
  );
  const length = Math.sqrt(weights.reduce((sum, [, weight]) => sum + weight ** 2, 0)) || 1;
  return new Map(weights.map(([key, weight]) => [key, weight / length]));
}

/** Returns the cosine similarity of two texts: from 0 for no common term to 1 for the same terms. */
export function cosine(a: Vector, b: Vector): number {
  if (a.size > b.size) return cosine(b, a);
  let sum = 0;
  for (const [key, weight] of a) sum += weight * (b.get(key) ?? 0);
  return Math.min(1, sum);
}
