import { nextChunk } from '../../../platform/event-loop.ts';
import {
  cosine,
  type Frequencies,
  rarityOf,
  type Terms,
  type Vector,
  vectorOf,
  weightsOf,
} from '../text/cosine.ts';

/** A judgment that may be similar to an item in question. */
export interface Candidate {
  recordId: string;
  terms: Terms;
  organizationId: string | null;
  createdMs: number;
}

export type Similar<Judgment> = Judgment & { vector: Vector; similarity: number };

/** The judgments of items like one in question, the most similar first. */
export interface Ranked<Judgment> {
  /** The item in question. */
  vector: Vector;
  /** How much of the item's matter the two nearest judgments have on average. */
  nearness: number;
  judgments: Array<Similar<Judgment>>;
}

/** Judgments beyond so many are too far away to say anything about an item. */
const MAX_SIMILAR = 100;
/**
 * The more terms a question has beyond so many, the more rare ones weigh: most of a long text is
 * what any text of its kind says.
 */
const SHORT_TERMS = 6;
/** The factor of similarity across organizations: people of one decide more alike. */
export const ACROSS_ORGANIZATIONS = 0.9;

/**
 * Compares candidates with an item, and keeps the most similar: those of its organization before
 * others, and the newer among equals.
 *
 * @param usual the count of terms that were not counted
 */
export async function rank<Judgment extends Candidate>(
  terms: Terms,
  organizationId: string | undefined,
  candidates: Iterable<Judgment>,
  frequencies: Frequencies,
  usual = 0,
): Promise<Ranked<Judgment>> {
  const power = 1 + Math.max(0, Math.log2(terms.size / SHORT_TERMS));
  const weightOf = weightsOf(frequencies, power, usual);
  const asked = vectorOf(terms, weightOf);
  const compared: Array<{ one: Similar<Judgment>; rank: number }> = [];
  for (const candidate of candidates) {
    await nextChunk();
    const vector = vectorOf(candidate.terms, weightOf);
    const similarity = cosine(asked, vector);
    if (similarity === 0) continue;
    const isNear = organizationId === undefined || candidate.organizationId === organizationId;
    compared.push({
      one: { ...candidate, vector, similarity },
      rank: isNear ? similarity : ACROSS_ORGANIZATIONS * similarity,
    });
  }
  const judgments = compared
    .sort(
      (a, b) =>
        b.rank - a.rank ||
        b.one.createdMs - a.one.createdMs ||
        (a.one.recordId < b.one.recordId ? -1 : 1),
    )
    .slice(0, MAX_SIMILAR)
    .map(({ one }) => one);
  const most = rarityOf(0, frequencies.all) ** power;
  const nearnessOf = ({ terms: own, similarity }: Similar<Judgment>) => {
    const shared = [...terms.keys()].filter((key) => own.has(key));
    const mass = shared.reduce((sum, key) => sum + weightOf(key) / most, 0);
    // The cosine alone is great for any two short texts with one common word, even a frequent one.
    return Math.sqrt(mass) * similarity;
  };
  const [first = 0, second = 0] = judgments.map(nearnessOf).sort((a, b) => b - a);
  return { vector: asked, nearness: (first + second) / 2, judgments };
}
