import { type Clock, unixSeconds } from '../clock.ts';
import type { Database } from '../database/database.ts';
import type { EventFeed, FeedEvent } from '../events/event-feed.ts';
import { BackgroundLoop, type LoopDependencies } from '../loops/background-loop.ts';
import { readEvents } from './read-log.ts';
import { OrganizationChannel, SubscriberCursor } from './subscribers.ts';
import { keyOfOrganization, type Topic } from './topic.ts';
import type { TopicBuffer } from './topic-buffer.ts';

/** The longest time until the end of a grant is noticed. */
const EXPIRY_INTERVAL_MS = 250;

interface LiveBusDependencies extends LoopDependencies {
  db: Database;
  feed: EventFeed;
  clock: Clock;
  /** Whether an event may change access. */
  changesAccess: (event: FeedEvent) => boolean;
}

/**
 * Passes the events of the log on to the subscribers in this process. Each batch is read from the log
 * only once, however many subscribers there are.
 */
export class LiveBus {
  readonly #deps: LiveBusDependencies;
  readonly #channels = new Map<string, OrganizationChannel>();
  readonly #expiryLoop: BackgroundLoop;
  #unsubscribe: (() => Promise<void>) | undefined;

  constructor(deps: LiveBusDependencies) {
    this.#deps = deps;
    this.#expiryLoop = new BackgroundLoop(deps, {
      name: 'stream-grants',
      run: async () => this.#noticeExpiry(),
      failure: 'The expiry of grants could not be checked.',
    });
  }

  start(): void {
    this.#unsubscribe = this.#deps.feed.subscribe((events) => this.#deliver(events));
    this.#expiryLoop.start();
  }

  async stop(): Promise<void> {
    await this.#expiryLoop.stop();
    await this.#unsubscribe?.();
  }

  /** Subscribes to a topic from now on, until the signal aborts. */
  subscribe(topic: Topic, userId: string | undefined, signal: AbortSignal): SubscriberCursor {
    const { tenantId, organizationId } = topic;
    const key = keyOfOrganization(topic);
    const channel =
      this.#channels.get(key) ?? new OrganizationChannel({ tenantId, organizationId });
    this.#channels.set(key, channel);
    this.#expiryLoop.wake(EXPIRY_INTERVAL_MS);
    const buffer = channel.bufferFor(topic, this.#deps.feed.position);
    const cursor = new SubscriberCursor({ db: this.#deps.db, channel, buffer, userId });
    channel.join(cursor);
    const leave = () => {
      channel.leave(cursor);
      if (channel.isEmpty && this.#channels.get(key) === channel) this.#channels.delete(key);
    };
    if (signal.aborted) leave();
    else signal.addEventListener('abort', leave, { once: true });
    return cursor;
  }

  /**
   * Makes subscribers read past events from the log again. Call this after such events were changed.
   *
   * @param tenantId the tenant of these events; by default, the events may be of any tenant
   */
  forgetEvents(tenantId?: string): void {
    for (const { organization, buffers } of this.#channels.values()) {
      if (tenantId !== undefined && organization.tenantId !== tenantId) continue;
      for (const buffer of buffers.values()) buffer.forget();
    }
  }

  /** Fills the buffers only once all events have been read, because the feed repeats failed batches. */
  async #deliver(events: FeedEvent[]): Promise<void> {
    // Buffers that are created from here on read these events from the log.
    const subscribed = events.filter((event) => this.#buffersFor(event).length > 0);
    const sequences = subscribed.map(({ sequence }) => sequence);
    const loaded = await readEvents(this.#deps.db, sequences);
    for (const event of events) this.#noticeAccessChange(event);
    for (const event of loaded) {
      for (const buffer of this.#buffersFor(event)) buffer.add(event);
    }
  }

  #buffersFor(event: Omit<FeedEvent, 'sequence'>): TopicBuffer[] {
    const { tenantId, organizationId, documentId, type } = event;
    if (organizationId === null || this.#channels.size === 0) return [];
    const channel = this.#channels.get(keyOfOrganization({ tenantId, organizationId }));
    if (!channel) return [];
    return [...channel.buffers.values()].filter(
      ({ topic }) =>
        topic.types.includes(type) &&
        (topic.documentId === undefined || topic.documentId === documentId),
    );
  }

  #noticeAccessChange(event: FeedEvent): void {
    if (!this.#deps.changesAccess(event)) return;
    for (const channel of this.#channelsOf(event)) {
      if (event.type === 'document.delete' && event.documentId !== null) {
        channel.endDocument(event.documentId);
      }
      channel.accessChanged();
    }
  }

  #channelsOf({ tenantId, organizationId }: FeedEvent): OrganizationChannel[] {
    if (organizationId === null) {
      return [...this.#channels.values()].filter(
        ({ organization }) => organization.tenantId === tenantId,
      );
    }
    const channel = this.#channels.get(keyOfOrganization({ tenantId, organizationId }));
    return channel ? [channel] : [];
  }

  #noticeExpiry(): void {
    if (this.#channels.size > 0) this.#expiryLoop.wake(EXPIRY_INTERVAL_MS);
    const now = unixSeconds(this.#deps.clock);
    for (const channel of this.#channels.values()) {
      for (const subscriber of channel.subscribers) {
        if (now >= (subscriber.accessEndsAt ?? Number.POSITIVE_INFINITY)) subscriber.recheck();
      }
    }
  }
}
