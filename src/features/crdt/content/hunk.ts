/** Half-open ranges: what stands at [aFrom, aTo) becomes what stands at [bFrom, bTo). */
export interface Hunk {
  aFrom: number;
  aTo: number;
  bFrom: number;
  bTo: number;
}

/** Makes one hunk of neighbours with at most `gap` equal things between them. */
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
