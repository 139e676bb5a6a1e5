/** A text by the keys of its terms, each with its weight; the length of the whole is 1. */
export type Vector = ReadonlyMap<string, number>;

/** In how many judgments of a tenant terms occur, by their keys. */
export interface Frequencies {
  all: number;
  of(key: string): number;
}

/**
 * The more terms a question has beyond so many, the higher the power of rarity in their weights:
 * most of a long text is what any text of its kind says.
 */
const SHORT = 12;

/** @param terms the number of different terms in the question */
export const powerOf = (terms: number): number => 1 + Math.max(0, Math.log2(terms / SHORT));

/** How rare a term is, from 1 for one that all judgments have. */
export const rarityOf = (count: number, all: number): number =>
  Math.log((1 + all) / (1 + Math.min(all, count))) + 1;

/** @param terms the keys with the times that each occurs */
export function vectorOf(
  terms: ReadonlyMap<string, number>,
  power: number,
  { all, of }: Frequencies,
): Vector {
  const weights = new Map<string, number>();
  let squares = 0;
  for (const [key, times] of terms) {
    const weight = (1 + Math.log(times)) * rarityOf(of(key), all) ** power;
    weights.set(key, weight);
    squares += weight ** 2;
  }
  const length = Math.sqrt(squares) || 1;
  for (const [key, weight] of weights) weights.set(key, weight / length);
  return weights;
}

/** From 0 for no common term to 1 for the same terms. */
export function cosine(a: Vector, b: Vector): number {
  if (a.size > b.size) return cosine(b, a);
  let sum = 0;
  for (const [key, weight] of a) sum += weight * (b.get(key) ?? 0);
  return Math.min(1, sum);
}
