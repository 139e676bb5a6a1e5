import { Room } from './room.ts';
import { keyOfTopic, type Neighbourhood, type Topic } from './topic.ts';

/** A subscriber, as far as its neighbours are concerned. */
export interface Member {
  readonly room: Room;
  readonly userId: string | undefined;
  /** When what lets it see anything ends, in Unix seconds. */
  readonly accessEndsAt: number | undefined;
  /** Has its access looked at again, although no event says so. */
  recheck(): void;
}

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
  readonly #members = new Set<Member>();
  #version = 0;
  #facts: { version: number; value: Promise<unknown> } | undefined;

  constructor(neighbourhood: Neighbourhood) {
    this.neighbourhood = neighbourhood;
  }

  get members(): Iterable<Member> {
    return this.#members;
  }

  get isEmpty(): boolean {
    return this.#members.size === 0;
  }

  /** Grows with every change of access. */
  get version(): number {
    return this.#version;
  }

  join(member: Member): void {
    this.#members.add(member);
    // What was looked up before does not tell of who is new.
    this.#facts = undefined;
  }

  leave(member: Member): void {
    this.#members.delete(member);
    if ([...this.#members].some(({ room }) => room === member.room)) return;
    const key = keyOfTopic(member.room.topic);
    if (this.rooms.get(key) === member.room) this.rooms.delete(key);
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
    const members = [...this.#members];
    const documents = [...this.rooms.values()].map(({ topic }) => topic.documentId);
    const distinct = (ids: Array<string | undefined>) => [
      ...new Set(ids.filter((id) => id !== undefined)),
    ];
    const userIds = distinct(members.map(({ userId }) => userId));
    return { ...this.neighbourhood, userIds, documentIds: distinct(documents) };
  }
}
