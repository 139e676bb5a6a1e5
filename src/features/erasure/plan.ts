import type { Contents } from '../../platform/erasure/people.ts';
import type { ErasureStep } from '../../platform/erasure/step.ts';

/**
 * Returns the names of all steps in order, and all of them again, for data written in the meantime.
 */
export function planErasure(steps: readonly ErasureStep[], contents: Contents): string[] {
  const planned = steps.filter(({ onlyRemoving }) => !onlyRemoving || contents === 'remove');
  const repeated = planned.filter(({ onlyOnce }) => !onlyOnce);
  return [...planned, ...repeated].map(({ name }) => name);
}
