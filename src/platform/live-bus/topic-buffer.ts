import type { LiveEvent, Topic } from './topic.ts';

/** The most events in memory, and the most bytes. Subscribers read older events from the log. */
const MAX_EVENTS = 200;
const MAX_BYTES = 2 * 1024 * 1024;

/**
 * The latest events of one topic, read once for all its subscribers in this process. A subscriber
 * keeps only its position, so that a slow one costs no memory.
 */
export class TopicBuffer {
  readonly topic: Topic;
  readonly #recent: LiveEvent[] = [];
  readonly #waiting = new Set<() => void>();
  /** All events after this position are in memory. */
  since: bigint;
  /** Whether the document was deleted. */
  isEnded = false;
  #bytes = 0;

  /** @param since the position after which every event is added to the buffer */
  constructor(topic: Topic, since: bigint) {
    this.topic = topic;
    this.since = since;
  }

  after(position: bigint): LiveEvent[] {
    const first = this.#recent.findIndex((event) => event.position > position);
    return first === -1 ? [] : this.#recent.slice(first);
  }

  add(event: LiveEvent): void {
    if (event.position <= (this.#recent.at(-1)?.position ?? this.since)) return;
    this.#recent.push(event);
    this.#bytes += event.size;
    while (this.#recent.length > MAX_EVENTS || this.#bytes > MAX_BYTES) {
      const oldest = this.#recent.shift();
      if (!oldest) break;
      this.#bytes -= oldest.size;
      this.since = oldest.position;
    }
    this.wake();
  }

  /** Removes all events. Subscribers read them from the log. */
  forget(): void {
    this.since = this.#recent.at(-1)?.position ?? this.since;
    this.#recent.length = 0;
    this.#bytes = 0;
  }

  end(): void {
    this.isEnded = true;
    this.wake();
  }

  wake(): void {
    for (const resume of [...this.#waiting]) resume();
  }

  /** Resolves when there may be new events, or access may have changed, or when the signal aborts. */
  whenChanged(signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const resume = () => {
        this.#waiting.delete(resume);
        signal.removeEventListener('abort', resume);
        resolve();
      };
      this.#waiting.add(resume);
      signal.addEventListener('abort', resume, { once: true });
    });
  }
}
