/**
 * A difference between two sequences: [aFrom, aTo) of the first is replaced by [bFrom, bTo) of the
 * second.
 */
export interface Hunk {
  aFrom: number;
  aTo: number;
  bFrom: number;
  bTo: number;
}

/** Joins neighbouring hunks with at most `gap` equal elements between them. */
export function joinHunks(hunks: readonly Hunk[], gap: number): Hunk[] {
  const joined: Hunk[] = [];
  for (const hunk of hunks) {
    const last = joined.at(-1);
    if (last !== undefined && hunk.aFrom - last.aTo <= gap) {
      last.aTo = hunk.aTo;
      last.bTo = hunk.bTo;
    } else {
      joined.push({ ...hunk });
    }
  }
  return joined;
}

/**
 * Yields the hunks of two sequences with the equal ranges before, between and after them.
 *
 * @param aLength the length of the first sequence
 */
export function* equalAndChangedRanges(
  hunks: readonly Hunk[],
  aLength: number,
): Generator<Hunk & { isEqual: boolean }> {
  let [aFrom, bFrom] = [0, 0];
  for (const hunk of hunks) {
    yield { aFrom, aTo: hunk.aFrom, bFrom, bTo: hunk.bFrom, isEqual: true };
    yield { ...hunk, isEqual: false };
    [aFrom, bFrom] = [hunk.aTo, hunk.bTo];
  }
  yield { aFrom, aTo: aLength, bFrom, bTo: bFrom + aLength - aFrom, isEqual: true };
}
