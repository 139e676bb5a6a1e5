/**
 * The upper bounds of the latency buckets, in seconds; slower requests are counted in one more
 * bucket. Rows of earlier versions have counts for the same bounds, so new bounds need new columns.
 */
export const LATENCY_SECONDS = [
  0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10,
] as const;

/** HTTP statuses from here on are failures of this server. */
const FIRST_FAILURE = 500;

/** Counts requests of operations over a while. */
export class RequestCounts {
  requests = 0;
  /** Requests that failed through no fault of their caller (5xx). */
  errors = 0;
  /** Requests by bucket of `LATENCY_SECONDS`, and one more bucket for slower ones. */
  readonly latency: number[] = Array<number>(LATENCY_SECONDS.length + 1).fill(0);

  add(status: number, seconds: number): void {
    this.requests++;
    if (status >= FIRST_FAILURE) this.errors++;
    const bucket = LATENCY_SECONDS.findIndex((bound) => seconds <= bound);
    this.#addTo(bucket === -1 ? LATENCY_SECONDS.length : bucket, 1);
  }

  /** Returns what was counted so far, and counts from zero again. */
  take(): RequestCounts {
    const taken = new RequestCounts();
    taken.merge(this);
    this.requests = 0;
    this.errors = 0;
    this.latency.fill(0);
    return taken;
  }

  /** Adds what was counted elsewhere. */
  merge({ requests, errors, latency }: RequestCounts): void {
    this.requests += requests;
    this.errors += errors;
    for (const [bucket, count] of latency.entries()) this.#addTo(bucket, count);
  }

  #addTo(bucket: number, count: number): void {
    this.latency[bucket] = (this.latency[bucket] ?? 0) + count;
  }
}

/**
 * Estimates a quantile of latencies, as if they were spread evenly within their bucket.
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
