import type { DeltaStep } from './diff-runs.ts';

/**
 * Distributes the steps for one text over the parts that store it. An insertion between two parts goes
 * to the first of them.
 *
 * @param lengths the lengths of the parts
 */
export function splitDelta(steps: readonly DeltaStep[], lengths: readonly number[]): DeltaStep[][] {
  const parts: DeltaStep[][] = lengths.map(() => []);
  let at = 0;
  let room = lengths[0] ?? 0;
  /** Moves on within one part. @returns the distance */
  const advance = (maxLength: number): number => {
    while (room === 0 && at < lengths.length - 1) room = lengths[++at] ?? 0;
    const length = Math.min(room, maxLength);
    room -= length;
    return length;
  };
  for (const step of steps) {
    if ('insert' in step) {
      parts[at]?.push(step);
      continue;
    }
    const isRetain = 'retain' in step;
    for (let left = isRetain ? step.retain : step.delete; left > 0; ) {
      const length = advance(left);
      if (length === 0) break;
      parts[at]?.push(isRetain ? { ...step, retain: length } : { delete: length });
      left -= length;
    }
  }
  return parts;
}

export const changesNothing = (steps: readonly DeltaStep[]): boolean =>
  steps.every((step) => 'retain' in step && !step.attributes);
