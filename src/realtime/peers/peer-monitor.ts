import { BackgroundLoop, type LoopDependencies } from '../../platform/loops/background-loop.ts';

/** The longest delay until this process notices that another one has ended. */
const POLL_INTERVAL_MS = 1_000;

interface Dependencies extends LoopDependencies {
  /** Returns, for each process, how many connections listen for messages to it. */
  countListeners: (ids: string[]) => Promise<number[]>;
  /** Called when at least one process has ended. */
  onGone: () => void;
}

/**
 * Watches processes that have sent edits, and detects when one ends: Redis drops the subscriptions of a
 * process with its connection, even if the process was killed.
 */
export class PeerMonitor {
  readonly #deps: Dependencies;
  readonly #ids = new Set<string>();
  readonly #loop: BackgroundLoop;

  constructor(deps: Dependencies) {
    this.#deps = deps;
    this.#loop = new BackgroundLoop(deps, {
      name: 'peer-register',
      everyMs: POLL_INTERVAL_MS,
      run: () => this.#poll(),
      failure: 'Redis could not be asked which processes have ended.',
    });
    this.#loop.start();
  }

  add(id: string): void {
    this.#ids.add(id);
  }

  stop(): Promise<void> {
    return this.#loop.stop();
  }

  async #poll(): Promise<void> {
    const ids = [...this.#ids];
    if (ids.length === 0) return;
    const listeners = await this.#deps.countListeners(ids);
    const gone = ids.filter((_, index) => listeners[index] === 0);
    for (const id of gone) this.#ids.delete(id);
    if (gone.length > 0) this.#deps.onGone();
  }
}
