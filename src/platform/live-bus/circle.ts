import type { Follower } from './follower.ts';
import { Room } from './room.ts';
import { keyOfTopic, type Neighbourhood, type Topic } from './topic.ts';

/** Who is to be looked up, to decide what the subscribers of an organization may see. */
export interface Audience extends Neighbourhood {
  userIds: string[];
  documentIds: string[];
}

/**
 * The subscribers of one organization in this process. What decides about their access is looked up
 * once for all of them, and again only after something may have changed it.
 */
export class Circle {
  readonly neighbourhood: Neighbourhood;
  readonly rooms = new Map<string, Room>();
  readonly #followers = new Set<Follower>();
  #version = 0;
  #facts: { version: number; value: Promise<unknown> } | undefined;

  constructor(neighbourhood: Neighbourhood) {
    this.neighbourhood = neighbourhood;
  }

  get followers(): Iterable<Follower> {
    return this.#followers;
  }

  get isEmpty(): boolean {
    return this.#followers.size === 0;
  }

  /** Grows with every change of access. */
  get version(): number {
    return this.#version;
  }

  join(follower: Follower): void {
    this.#followers.add(follower);
    // What was looked up before does not tell of who is new.
    this.#facts = undefined;
  }

  leave(follower: Follower): void {
    this.#followers.delete(follower);
    if ([...this.#followers].some(({ room }) => room === follower.room)) return;
    const key = keyOfTopic(follower.room.topic);
    if (this.rooms.get(key) === follower.room) this.rooms.delete(key);
  }

  room(topic: Topic, since: bigint): Room {
    const key = keyOfTopic(topic);
    const room = this.rooms.get(key) ?? new Room(topic, since);
    this.rooms.set(key, room);
    return room;
  }

  accessChanged(): void {
    this.#version++;
    for (const room of this.rooms.values()) room.wake();
  }

  /** The document was deleted: its rooms are not those of one that is made after it. */
  endDocument(documentId: string): void {
    for (const [key, room] of this.rooms) {
      if (room.topic.documentId !== documentId) continue;
      this.rooms.delete(key);
      room.end();
    }
  }

  /** One look for everybody, begun after the latest change. There is one kind of look only. */
  facts<Facts>(look: (audience: Audience) => Promise<Facts>): Promise<Facts> {
    if (this.#facts?.version !== this.#version) {
      const facts = { version: this.#version, value: look(this.#audience()) };
      this.#facts = facts;
      facts.value.catch(() => {
        if (this.#facts === facts) this.#facts = undefined;
      });
    }
    return this.#facts?.value as Promise<Facts>;
  }

  #audience(): Audience {
    const followers = [...this.#followers];
    const documents = [...this.rooms.values()].map(({ topic }) => topic.documentId);
    const distinct = (ids: Array<string | undefined>) => [
      ...new Set(ids.filter((id) => id !== undefined)),
    ];
    const userIds = distinct(followers.map(({ userId }) => userId));
    return { ...this.neighbourhood, userIds, documentIds: distinct(documents) };
  }
}
