import { keyOfTopic, type OrganizationKey, type Topic } from './topic.ts';
import { TopicBuffer } from './topic-buffer.ts';

/** The properties of a subscriber that a channel uses. */
export interface Subscriber {
  readonly buffer: TopicBuffer;
  readonly userId: string | undefined;
  /** The end of the grant that gives it access, in Unix seconds. */
  readonly accessEndsAt: number | undefined;
  /** Lets the subscriber check its access again, although there is no event. */
  recheck(): void;
}

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
  readonly #subscribers = new Set<Subscriber>();
  #version = 0;
  #facts: { version: number; value: Promise<unknown> } | undefined;

  constructor(organization: OrganizationKey) {
    this.organization = organization;
  }

  get subscribers(): Iterable<Subscriber> {
    return this.#subscribers;
  }

  get isEmpty(): boolean {
    return this.#subscribers.size === 0;
  }

  /** Grows with every event that may have changed access. */
  get version(): number {
    return this.#version;
  }

  join(subscriber: Subscriber): void {
    this.#subscribers.add(subscriber);
    // Facts that were loaded before lack those of the new subscriber.
    this.#facts = undefined;
  }

  leave(subscriber: Subscriber): void {
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
    this.#version++;
    for (const buffer of this.buffers.values()) buffer.wake();
  }

  /** Ends the buffers of a deleted document. A later document of the same id gets new ones. */
  endDocument(documentId: string): void {
    for (const [key, buffer] of this.buffers) {
      if (buffer.topic.documentId !== documentId) continue;
      this.buffers.delete(key);
      buffer.end();
    }
  }

  /** Returns access facts for all subscribers. Every caller must pass the same `load`. */
  facts<Facts>(load: (audience: Audience) => Promise<Facts>): Promise<Facts> {
    if (this.#facts?.version !== this.#version) {
      const facts = { version: this.#version, value: load(this.#audience()) };
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
