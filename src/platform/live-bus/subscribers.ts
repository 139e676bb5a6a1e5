import type { Queryable } from '../database/database.ts';
import { readTopic } from './read-log.ts';
import { keyOfTopic, type LiveEvent, type OrganizationKey, type Topic } from './topic.ts';
import { TopicBuffer } from './topic-buffer.ts';

/** The users and documents whose access facts the subscribers of an organization need. */
export interface Audience extends OrganizationKey {
  userIds: string[];
  documentIds: string[];
}

/**
 * The subscribers of one organization in this process. Their access facts are loaded once for all of
 * them, and again only after an event that may have changed them.
 */
export class OrganizationChannel {
  readonly organization: OrganizationKey;
  readonly buffers = new Map<string, TopicBuffer>();
  /** The version of the access facts, which grows with every event that may have changed access. */
  version = 0;
  readonly #subscribers = new Set<SubscriberCursor>();
  #facts: { version: number; value: Promise<unknown> } | undefined;

  constructor(organization: OrganizationKey) {
    this.organization = organization;
  }

  get subscribers(): Iterable<SubscriberCursor> {
    return this.#subscribers;
  }

  get isEmpty(): boolean {
    return this.#subscribers.size === 0;
  }

  join(subscriber: SubscriberCursor): void {
    this.#subscribers.add(subscriber);
    // Drops facts that were loaded earlier: they lack those of the new subscriber.
    this.#facts = undefined;
  }

  leave(subscriber: SubscriberCursor): void {
    this.#subscribers.delete(subscriber);
    if ([...this.#subscribers].some(({ buffer }) => buffer === subscriber.buffer)) return;
    const key = keyOfTopic(subscriber.buffer.topic);
    if (this.buffers.get(key) === subscriber.buffer) this.buffers.delete(key);
  }

  bufferFor(topic: Topic, since: bigint): TopicBuffer {
    const key = keyOfTopic(topic);
    const buffer = this.buffers.get(key) ?? new TopicBuffer(topic, since);
    this.buffers.set(key, buffer);
    return buffer;
  }

  accessChanged(): void {
    this.version++;
    for (const buffer of this.buffers.values()) buffer.wake();
  }

  /** Ends the buffers of a deleted document. A later document with the same id gets new ones. */
  endDocument(documentId: string): void {
    for (const [key, buffer] of this.buffers) {
      if (buffer.topic.documentId !== documentId) continue;
      this.buffers.delete(key);
      buffer.end();
    }
  }

  /** Returns access facts for all subscribers. Every caller must pass the same `load`. */
  facts<Facts>(load: (audience: Audience) => Promise<Facts>): Promise<Facts> {
    if (this.#facts?.version !== this.version) {
      const facts = { version: this.version, value: load(this.#audience()) };
      this.#facts = facts;
      facts.value.catch(() => {
        if (this.#facts === facts) this.#facts = undefined;
      });
    }
    return this.#facts?.value as Promise<Facts>;
  }

  #audience(): Audience {
    const subscribers = [...this.#subscribers];
    const documents = [...this.buffers.values()].map(({ topic }) => topic.documentId);
    const distinct = (ids: Array<string | undefined>) => [
      ...new Set(ids.filter((id) => id !== undefined)),
    ];
    const userIds = distinct(subscribers.map(({ userId }) => userId));
    return { ...this.organization, userIds, documentIds: distinct(documents) };
  }
}

/** The most events that a subscriber reads from the log at once after it has fallen behind. */
const PAGE_EVENTS = 100;

/** The next events for a subscriber. A slice without events makes the subscriber check its access. */
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
export class SubscriberCursor {
  readonly buffer: TopicBuffer;
  readonly userId: string | undefined;
  readonly #db: Queryable;
  readonly #channel: OrganizationChannel;
  /** The version of the access facts at the last slice. */
  #seenVersion: number;
  /** The position of the last event that was sent to the subscriber, or withheld from it. */
  position: bigint;
  /**
   * The end of the log when the subscription began. Slices before it do not count as the newest: this
   * process may not have received a later event about the same resource yet.
   */
  logEndAtStart = 0n;
  /** The end of the grant that gives access, in Unix seconds. */
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

  /** @returns undefined when the document was deleted. Rejects when the signal aborts. */
  async next(signal: AbortSignal): Promise<Slice | undefined> {
    for (;;) {
      signal.throwIfAborted();
      if (this.buffer.isEnded) return undefined;
      const { version } = this.#channel;
      const isNewest = this.position >= this.buffer.since;
      // Events in memory are read without `await`, so that none is missed before `whenChanged` is called.
      const events = isNewest ? this.buffer.after(this.position) : await this.#readLog();
      if (events.length > 0 || version !== this.#seenVersion) {
        this.#seenVersion = version;
        return { events, isNewest: isNewest && this.position >= this.logEndAtStart, version };
      }
      if (isNewest) await this.buffer.whenChanged(signal);
    }
  }

  /** Makes the subscriber check its access again, although there is no event. */
  recheck(): void {
    // No version is -1, so `next` returns a slice without events.
    this.#seenVersion = -1;
    this.buffer.wake();
  }

  facts: OrganizationChannel['facts'] = (load) => this.#channel.facts(load);

  async #readLog(): Promise<LiveEvent[]> {
    const { since } = this.buffer;
    const range = { after: this.position, upTo: since, limit: PAGE_EVENTS };
    const events = await readTopic(this.#db, this.buffer.topic, range);
    if (events.length === 0) this.position = since;
    return events;
  }
}
