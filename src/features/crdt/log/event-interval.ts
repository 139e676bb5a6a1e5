/** An editor publishes its updates at most this often (decisions section 7). */
export const EVENT_INTERVAL_MS = 5_000;
