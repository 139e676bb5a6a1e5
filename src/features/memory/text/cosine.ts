/** A text by the keys of its terms, each with its weight; the length of the whole is 1. */
export type Vector = ReadonlyMap<string, number>;

/** The keys of a text's terms with the times that each occurs. */
export type Terms = ReadonlyMap<string, number>;

/** In how many judgments of a tenant terms occur, by their keys. */
export interface Frequencies {
  all: number;
  counts: ReadonlyMap<string, number>;
}

/** How rare a term is that occurs in so many of all judgments: 1 for one that all have. */
export const rarityOf = (count: number, all: number): number =>
  Math.log((1 + all) / (1 + Math.min(all, count))) + 1;

/**
 * The weights of terms by their rarity.
 *
 * @param power how much more rare terms weigh
 * @param usual the count of terms that were not counted
 */
export function weightsOf({ all, counts }: Frequencies, power: number, usual: number) {
  const weights = new Map<string, number>();
  for (const [key, count] of counts) weights.set(key, rarityOf(count, all) ** power);
  const other = rarityOf(usual, all) ** power;
  return (key: string): number => weights.get(key) ?? other;
}

export function vectorOf(terms: Terms, weightOf: (key: string) => number): Vector {
  const weights = new Map<string, number>();
  let squares = 0;
  for (const [key, times] of terms) {
    const weight = (1 + Math.log(times)) * weightOf(key);
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
