import type { RedisPair } from './redis-pair.ts';

/** How late it may be noticed that another process is gone. */
const POLL_INTERVAL_MS = 1_000;

interface Parts extends RedisPair {
  ownId: string;
  /** The channel that a process subscribes to while it runs. */
  channelOf: (id: string) => string;
  onGone: () => void;
}

/**
 * Keeps the ids of processes that have sent edits, and detects when one is gone: Redis drops the
 * subscriptions of a process with its connection, even if the process was killed.
 */
export class PeerRegister {
  readonly #parts: Parts;
  readonly #ids = new Set<string>();
  readonly #timer: NodeJS.Timeout;

  constructor(parts: Parts) {
    this.#parts = parts;
    parts.sub.on('messageBuffer', (_channel: Buffer, message: Buffer) => this.#note(message));
    this.#timer = setInterval(() => void this.#poll(), POLL_INTERVAL_MS);
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  /** Each message begins with the id of its sender, after the length of that id. */
  #note(message: Buffer): void {
    const id = message.toString('utf8', 1, 1 + (message[0] ?? 0));
    if (id !== this.#parts.ownId) this.#ids.add(id);
  }

  async #poll(): Promise<void> {
    const { pub, channelOf, onGone } = this.#parts;
    const ids = [...this.#ids];
    if (ids.length === 0 || pub.status !== 'ready') return;
    try {
      const counts = await pub.pubsub('NUMSUB', ...ids.map(channelOf));
      const gone = ids.filter((_, at) => Number(counts[2 * at + 1]) === 0);
      for (const id of gone) this.#ids.delete(id);
      if (gone.length > 0) onGone();
    } catch {
      // Redis is away, and the next poll tries again.
    }
  }
}
