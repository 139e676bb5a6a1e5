/**
 * The upper bounds of the latency buckets, in seconds; slower requests are counted in one more
 * bucket. Rows of earlier versions have counts for the same bounds, so new bounds need new columns.
 */
export const LATENCY_SECONDS = [
  0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10,
] as const;

/**
 * Estimates a quantile of latencies, as if those in one bucket were spread evenly.
 *
 * @param latency counts by bucket of `LATENCY_SECONDS`
 * @param quantile from 0 to 1
 * @returns milliseconds, at most the last bound; null without requests
 */
export function quantileMs(latency: readonly number[], quantile: number): number | null {
  const total = latency.reduce((sum, count) => sum + count, 0);
  if (total === 0) return null;
  let rank = quantile * total;
  let lower = 0;
  for (const [bucket, upper] of LATENCY_SECONDS.entries()) {
    const count = latency[bucket] ?? 0;
    if (count > 0 && rank <= count) return 1000 * (lower + (upper - lower) * (rank / count));
    rank -= count;
    lower = upper;
  }
  return 1000 * lower;
}
