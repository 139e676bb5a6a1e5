/** Returns a longest subsequence of `items` with strictly increasing ranks. Bound: O(n log n). */
export function longestIncreasing<T>(items: readonly T[], rank: (item: T) => number): T[] {
  interface Card {
    item: T;
    rank: number;
    below: Card | undefined;
  }
  // Patience sorting places each card on the first pile with a larger top card.
  const tops: Card[] = [];
  for (const item of items) {
    const card: Card = { item, rank: rank(item), below: undefined };
    let low = 0;
    let high = tops.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((tops[middle]?.rank ?? 0) < card.rank) low = middle + 1;
      else high = middle;
    }
    card.below = tops[low - 1];
    tops[low] = card;
  }
  const found: T[] = [];
  for (let card = tops.at(-1); card !== undefined; card = card.below) found.push(card.item);
  return found.reverse();
}
