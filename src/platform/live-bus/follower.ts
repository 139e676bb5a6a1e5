import type { Queryable } from '../database/database.ts';
import type { Circle, Member } from './circle.ts';
import { readTopic } from './read-log.ts';
import type { Room } from './room.ts';
import type { LiveEvent } from './topic.ts';

/** How many events a subscriber that has fallen behind reads from the log at once. */
const PAGE = 100;

/** What a subscriber is to look at next. No events: its access alone. */
export interface Slice {
  events: LiveEvent[];
  /** Nothing of the topic came after these events, as far as this process knows. */
  isNewest: boolean;
  /** What version of access it is to be judged by. */
  version: number;
}

interface Parts {
  db: Queryable;
  circle: Circle;
  room: Room;
  userId: string | undefined;
}

/** One subscriber's way through its topic. */
export class Follower implements Member {
  readonly room: Room;
  readonly userId: string | undefined;
  readonly #db: Queryable;
  readonly #circle: Circle;
  #seenVersion: number;
  /** What it has seen, or was not to see. */
  position: bigint;
  accessEndsAt: number | undefined;

  constructor({ db, circle, room, userId }: Parts) {
    this.#db = db;
    this.#circle = circle;
    this.room = room;
    this.userId = userId;
    this.position = room.since;
    this.#seenVersion = circle.version;
  }

  /** Something happened to the access of its organization since the slice was taken. */
  isOvertaken({ version }: Slice): boolean {
    return version !== this.#circle.version || this.room.isGone;
  }

  /** @returns undefined when the document is gone. Rejects when the signal fires. */
  async next(signal: AbortSignal): Promise<Slice | undefined> {
    for (;;) {
      signal.throwIfAborted();
      if (this.room.isGone) return undefined;
      const { version } = this.#circle;
      const { events, isNewest } = await this.#read();
      if (events.length > 0 || version !== this.#seenVersion) {
        this.#seenVersion = version;
        return { events, isNewest, version };
      }
      if (isNewest) await this.room.changed(signal);
    }
  }

  recheck(): void {
    this.#seenVersion = -1;
    this.room.wake();
  }

  facts: Circle['facts'] = (look) => this.#circle.facts(look);

  async #read(): Promise<Pick<Slice, 'events' | 'isNewest'>> {
    const { since } = this.room;
    if (this.position >= since) {
      return { events: this.room.after(this.position), isNewest: true };
    }
    const range = { after: this.position, upTo: since, limit: PAGE };
    const events = await readTopic(this.#db, this.room.topic, range);
    if (events.length === 0) this.position = since;
    return { events, isNewest: false };
  }
}
