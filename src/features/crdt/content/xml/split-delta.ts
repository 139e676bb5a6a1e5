import type { DeltaStep } from './diff-runs.ts';

/**
 * Distributes the steps for one text over the parts that store it. An insertion between two parts goes
 * to the first of them.
 *
 * @param lengths the lengths of the parts
 */
export function splitDelta(steps: readonly DeltaStep[], lengths: readonly number[]): DeltaStep[][] {
  const parts: DeltaStep[][] = lengths.map(() => []);
  let index = 0;
  let uncovered = lengths[0] ?? 0;
  /** Covers the next positions of one part. Returns their number, which is 0 after the last part. */
  const advance = (maxLength: number): number => {
    while (uncovered === 0 && index < lengths.length - 1) uncovered = lengths[++index] ?? 0;
    const length = Math.min(uncovered, maxLength);
    uncovered -= length;
    return length;
  };
  for (const step of steps) {
    if ('insert' in step) {
      parts[index]?.push(step);
      continue;
    }
    const isRetain = 'retain' in step;
    let left = isRetain ? step.retain : step.delete;
    while (left > 0) {
      const length = advance(left);
      if (length === 0) break;
      parts[index]?.push(isRetain ? { ...step, retain: length } : { delete: length });
      left -= length;
    }
  }
  return parts;
}

export const changesNothing = (steps: readonly DeltaStep[]): boolean =>
  steps.every((step) => 'retain' in step && !step.attributes);
