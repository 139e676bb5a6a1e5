import type { Queryable } from '../database/database.ts';
import type { OrganizationChannel, Subscriber } from './organization-channel.ts';
import { readTopic } from './read-log.ts';
import type { LiveEvent } from './topic.ts';
import type { TopicBuffer } from './topic-buffer.ts';

/** How many events a subscriber that has fallen behind reads from the log at once. */
const PAGE = 100;

/**
 * The next events for a subscriber. A slice without events means that its access may have changed.
 */
export interface Slice {
  events: LiveEvent[];
  /** Whether this process knows of no later events of the topic. */
  isNewest: boolean;
  /** The channel's version of access facts when the slice was taken. */
  version: number;
}

interface SubscriberCursorDependencies {
  db: Queryable;
  channel: OrganizationChannel;
  buffer: TopicBuffer;
  userId: string | undefined;
}

/** The position of one subscriber in its topic. */
export class SubscriberCursor implements Subscriber {
  readonly buffer: TopicBuffer;
  readonly userId: string | undefined;
  readonly #db: Queryable;
  readonly #channel: OrganizationChannel;
  #seenVersion: number;
  /** The last event that was sent, or withheld. */
  position: bigint;
  /**
   * Events up to this position are older than the subscription. Their resources may have changed
   * since, by an event that this process has not received yet.
   */
  logEndAtStart = 0n;
  accessEndsAt: number | undefined;

  constructor({ db, channel, buffer, userId }: SubscriberCursorDependencies) {
    this.#db = db;
    this.#channel = channel;
    this.buffer = buffer;
    this.userId = userId;
    this.position = buffer.since;
    this.#seenVersion = channel.version;
  }

  /** Whether access may have changed since the slice was taken, or the document was deleted. */
  isOvertaken({ version }: Slice): boolean {
    return version !== this.#channel.version || this.buffer.isEnded;
  }

  /** @returns undefined when the document was deleted. Rejects when the signal fires. */
  async next(signal: AbortSignal): Promise<Slice | undefined> {
    for (;;) {
      signal.throwIfAborted();
      if (this.buffer.isEnded) return undefined;
      const { version } = this.#channel;
      const { events, isNewest } = await this.#read();
      if (events.length > 0 || version !== this.#seenVersion) {
        this.#seenVersion = version;
        return { events, isNewest: isNewest && this.position >= this.logEndAtStart, version };
      }
      if (isNewest) await this.buffer.changed(signal);
    }
  }

  recheck(): void {
    // No version is -1, so `next` returns a slice without events.
    this.#seenVersion = -1;
    this.buffer.wake();
  }

  facts: OrganizationChannel['facts'] = (load) => this.#channel.facts(load);

  async #read(): Promise<Pick<Slice, 'events' | 'isNewest'>> {
    const { since } = this.buffer;
    if (this.position >= since) {
      return { events: this.buffer.after(this.position), isNewest: true };
    }
    const range = { after: this.position, upTo: since, limit: PAGE };
    const events = await readTopic(this.#db, this.buffer.topic, range);
    if (events.length === 0) this.position = since;
    return { events, isNewest: false };
  }
}
