import { type Clock, unixSeconds } from '../clock.ts';
import type { Database } from '../database/database.ts';
import type { EventFeed, FeedEvent } from '../events/event-feed.ts';
import { newestSequence } from '../events/event-log.ts';
import { BackgroundLoop, type LoopParts } from '../loops/background-loop.ts';
import { Circle } from './circle.ts';
import { Follower } from './follower.ts';
import { readEvents } from './read-log.ts';
import type { Room } from './room.ts';
import { keyOfNeighbourhood, type Topic } from './topic.ts';

/** How late the end of a grant may be noticed. */
const EXPIRY_INTERVAL_MS = 250;

interface Parts extends LoopParts {
  db: Database;
  feed: EventFeed;
  clock: Clock;
  /** Whether an event may change who sees what. */
  changesAccess: (event: FeedEvent) => boolean;
}

/**
 * Follows the log for the subscribers of this process. Whatever their number, each batch of the log
 * is read once; PostgreSQL carries it between processes.
 */
export class LiveBus {
  readonly #parts: Parts;
  readonly #circles = new Map<string, Circle>();
  /** What came up to here was read by the feed, and will not come again. */
  #position = 0n;
  readonly #expiry: BackgroundLoop;
  #leaveFeed: (() => Promise<void>) | undefined;

  constructor(parts: Parts) {
    this.#parts = parts;
    this.#expiry = new BackgroundLoop(parts, {
      name: 'ends of grants of streams',
      run: async () => this.#noticeExpiry(),
      failure: 'The ends of grants could not be noticed.',
    });
  }

  async start(): Promise<void> {
    const newest = await newestSequence(this.#parts.db);
    this.#position = BigInt(newest);
    this.#leaveFeed = this.#parts.feed.follow((events) => this.#take(events), newest);
    this.#expiry.start();
  }

  async stop(): Promise<void> {
    await this.#expiry.stop();
    await this.#leaveFeed?.();
  }

  /** Follows a topic from now on, until the signal fires. */
  join(topic: Topic, userId: string | undefined, signal: AbortSignal): Follower {
    const { tenantId, organizationId } = topic;
    const key = keyOfNeighbourhood(topic);
    const circle = this.#circles.get(key) ?? new Circle({ tenantId, organizationId });
    this.#circles.set(key, circle);
    this.#expiry.wake(EXPIRY_INTERVAL_MS);
    const room = circle.room(topic, this.#position);
    const follower = new Follower({ db: this.#parts.db, circle, room, userId });
    circle.join(follower);
    const leave = () => {
      circle.leave(follower);
      if (circle.isEmpty && this.#circles.get(key) === circle) this.#circles.delete(key);
    };
    if (signal.aborted) leave();
    else signal.addEventListener('abort', leave, { once: true });
    return follower;
  }

  /** When it fails, the same events come again; so nothing is handed on before all is read. */
  async #take(events: FeedEvent[]): Promise<void> {
    const last = events.at(-1);
    if (!last) return;
    // Rooms that are made from here on read these for themselves.
    this.#position = BigInt(last.sequence);
    const wanted = events.filter((event) => this.#roomsFor(event).length > 0);
    const loaded = await readEvents(
      this.#parts.db,
      wanted.map(({ sequence }) => sequence),
    );
    for (const event of events) this.#noticeAccess(event);
    for (const event of loaded) {
      for (const room of this.#roomsFor(event)) room.add(event);
    }
  }

  #roomsFor({ tenantId, organizationId, documentId, type }: Omit<FeedEvent, 'sequence'>): Room[] {
    if (organizationId === null || this.#circles.size === 0) return [];
    const circle = this.#circles.get(keyOfNeighbourhood({ tenantId, organizationId }));
    return [...(circle?.rooms.values() ?? [])].filter(
      ({ topic }) =>
        topic.types.includes(type) &&
        (topic.documentId === undefined || topic.documentId === documentId),
    );
  }

  #noticeAccess(event: FeedEvent): void {
    if (!this.#parts.changesAccess(event)) return;
    for (const circle of this.#circlesNear(event)) {
      if (event.type === 'document.delete' && event.documentId !== null) {
        circle.endDocument(event.documentId);
      }
      circle.accessChanged();
    }
  }

  #circlesNear({ tenantId, organizationId }: FeedEvent): Circle[] {
    if (organizationId === null) {
      return [...this.#circles.values()].filter(
        ({ neighbourhood }) => neighbourhood.tenantId === tenantId,
      );
    }
    return [this.#circles.get(keyOfNeighbourhood({ tenantId, organizationId })) ?? []].flat();
  }

  #noticeExpiry(): void {
    if (this.#circles.size > 0) this.#expiry.wake(EXPIRY_INTERVAL_MS);
    const now = unixSeconds(this.#parts.clock);
    for (const circle of this.#circles.values()) {
      for (const member of circle.members) {
        if (now >= (member.accessEndsAt ?? Number.POSITIVE_INFINITY)) member.recheck();
      }
    }
  }
}
