import { queries } from '../../api/queries.ts';

/** Reads the keys again, also those that the head of the page lets one choose from. */
export function refreshKeys(): void {
  void queries.invalidateQueries({ queryKey: ['workspace'] });
  void queries.invalidateQueries({ queryKey: ['keys'] });
}
