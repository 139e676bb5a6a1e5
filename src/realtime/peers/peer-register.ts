import { BackgroundLoop, type LoopDependencies } from '../../platform/loops/background-loop.ts';
import { senderOf } from '../hocuspocus-internals.ts';
import type { RedisPair } from './redis-pair.ts';

/** The longest delay until the end of another process is noticed. */
const POLL_INTERVAL_MS = 1_000;

interface Dependencies extends RedisPair, LoopDependencies {
  ownId: string;
  /** The channel that a process subscribes to while it runs. */
  channelOf: (id: string) => string;
  /** Called when at least one process is gone. */
  onGone: () => void;
}

/**
 * Keeps the ids of processes that have sent edits, and detects when one is gone: Redis drops the
 * subscriptions of a process with its connection, even if the process was killed.
 */
export class PeerRegister {
  readonly #deps: Dependencies;
  readonly #ids = new Set<string>();
  readonly #loop: BackgroundLoop;

  constructor(deps: Dependencies) {
    this.#deps = deps;
    deps.sub.on('messageBuffer', (_channel: Buffer, message: Buffer) => this.#addSender(message));
    this.#loop = new BackgroundLoop(deps, {
      name: 'peer-register',
      everyMs: POLL_INTERVAL_MS,
      run: () => this.#poll(),
      failure: 'Redis cannot be asked which processes are gone.',
    });
    this.#loop.start();
  }

  stop(): Promise<void> {
    return this.#loop.stop();
  }

  #addSender(message: Buffer): void {
    const id = senderOf(message);
    if (id !== this.#deps.ownId) this.#ids.add(id);
  }

  async #poll(): Promise<void> {
    const { pub, channelOf, onGone } = this.#deps;
    const ids = [...this.#ids];
    if (ids.length === 0 || pub.status !== 'ready') return;
    const counts = await pub.pubsub('NUMSUB', ...ids.map(channelOf));
    // Redis answers with each channel, followed by the number of its subscribers.
    const gone = ids.filter((_, index) => Number(counts[2 * index + 1]) === 0);
    for (const id of gone) this.#ids.delete(id);
    if (gone.length > 0) onGone();
  }
}
