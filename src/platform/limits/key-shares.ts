import { eventLoopUtilization } from 'node:perf_hooks';

/** Use is counted in windows of this length: the current one, and the one before. */
const WINDOW_MS = 1_000;
/** A key is greedy when it used more than this factor times an equal share. */
const GREEDY_FACTOR = 1.5;
/** Below this utilization of the event loop, keys do not take anything from each other. */
const BUSY_UTILIZATION = 0.5;
const UTILIZATION_WINDOW_MS = 100;

/** Tells which API keys take more than their share of the process's time while it is busy. */
export class KeyShares {
  readonly #isBusy: () => boolean;
  #startedAt = performance.now();
  #current = new UsageWindow();
  #previous = new UsageWindow();

  /** @param isBusy whether the process is busy; default: whether the utilization is above `BUSY_UTILIZATION` */
  constructor(isBusy: () => boolean = watchEventLoop()) {
    this.#isBusy = isBusy;
  }

  /** Records for how long work of a key ran. */
  add(key: string, ms: number): void {
    this.#rotateWindows();
    this.#current.add(key, ms);
  }

  /** Whether the key took more than its share of the last second or two, and the process is busy. */
  isGreedy(key: string): boolean {
    this.#rotateWindows();
    const [current, previous] = [this.#current, this.#previous];
    const keyCount = Math.max(current.used.size, previous.used.size);
    if (keyCount < 2 || !this.#isBusy()) return false;
    const equalShare = (current.total + previous.total) / keyCount;
    return current.usedBy(key) + previous.usedBy(key) > GREEDY_FACTOR * equalShare;
  }

  #rotateWindows(): void {
    const now = performance.now();
    const age = now - this.#startedAt;
    if (age < WINDOW_MS) return;
    this.#previous = age < 2 * WINDOW_MS ? this.#current : new UsageWindow();
    this.#current = new UsageWindow();
    this.#startedAt = now;
  }
}

/** The time that each key used, in milliseconds. */
class UsageWindow {
  readonly used = new Map<string, number>();
  total = 0;

  usedBy(key: string): number {
    return this.used.get(key) ?? 0;
  }

  add(key: string, ms: number): void {
    this.used.set(key, this.usedBy(key) + ms);
    this.total += ms;
  }
}

function watchEventLoop(): () => boolean {
  let measured = eventLoopUtilization();
  let measuredAt = performance.now();
  let isBusy = false;
  return () => {
    const now = performance.now();
    if (now - measuredAt >= UTILIZATION_WINDOW_MS) {
      const latest = eventLoopUtilization();
      isBusy = eventLoopUtilization(latest, measured).utilization > BUSY_UTILIZATION;
      measured = latest;
      measuredAt = now;
    }
    return isBusy;
  };
}
