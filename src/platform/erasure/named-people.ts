import { isObject } from '../json.ts';
import { type ErasedPerson, isUnmistakable } from './people.ts';

export type JsonObject = Record<string, unknown>;

/** Matches fields that contain people: an id in such a field is a user's id. */
const PEOPLE_FIELD =
  /user|author|actor|person|people|assign|owner|creator|recipient|member|reviewer|resolver|participant|subscriber|mention|contact|by$|^from$|^to$/i;
/** Whether a field contains people. Fields of user groups have similar names, but contain none. */
const isForPeople = (field: string): boolean => PEOPLE_FIELD.test(field) && !/group/i.test(field);
/** Matches fields with names of things that are not users. */
const THING_NAME_FIELD = /(Key|[a-z]Name|^type|^icon|[cC]olor)$/;
/** Matches fields whose whole text is an id. An id of something other than a user is kept. */
const ID_FIELD = /(^id|Ids?|^channels)$/;
/** Matches fields that hold a thing other than a user. A `userId` in it names the user who owns the thing. */
const OTHER_OBJECT_FIELD =
  /^(resource|metadata|content|fields|location|pageInfo|suggestion|attachments)$/;

/** The channel of a user's events. */
const channelOf = (userId: string): string => `user:${userId}`;

/** A text that refers to a person: the id, or the channel. */
interface Reference {
  person: ErasedPerson;
  /** The text that replaces it. */
  alias: string;
  isChannel: boolean;
}

/** Recognises people in JSON: texts that refer to them, and objects that describe them. */
export class NamedPeople {
  readonly #people = new Map<string, ErasedPerson>();
  /** The references to the people, by their texts. */
  readonly #references = new Map<string, Reference>();

  constructor(people: ErasedPerson[]) {
    for (const person of people) {
      const { userId, alias } = person;
      this.#people.set(userId, person);
      this.#references.set(userId, { person, alias, isChannel: false });
    }
    // Channels are added last: `user:ada` counts as Ada's channel, even if another user has this text as an id.
    for (const person of people) {
      const alias = channelOf(person.alias);
      this.#references.set(channelOf(person.userId), { person, alias, isChannel: true });
    }
  }

  /** Search strings: JSON that names one of these people contains at least one of them. */
  get needles(): string[] {
    return [...this.#references.keys()].map((text) => JSON.stringify(text));
  }

  /** Returns the person with an id, whatever the field. */
  withId(id: unknown): ErasedPerson | undefined {
    return typeof id === 'string' ? this.#people.get(id) : undefined;
  }

  /**
   * Returns the reference if the whole text is one: a channel, an id in a field for people, or an
   * unmistakable id in any field that may refer to a person.
   */
  asReference(text: string, field: string): Reference | undefined {
    const reference = this.#references.get(text);
    if (!reference || reference.isChannel || isForPeople(field)) return reference;
    const denotesOther = ID_FIELD.test(field) || THING_NAME_FIELD.test(field);
    return isUnmistakable(text) && !denotesOther ? reference : undefined;
  }

  /** Returns the person whom an object describes: by its userId, or by its id in a field for people. */
  describedBy(value: JsonObject, field: string): ErasedPerson | undefined {
    if (OTHER_OBJECT_FIELD.test(field) || isAttachment(value)) return undefined;
    return this.withId(value.userId ?? (isForPeople(field) ? value.id : undefined));
  }

  /** Returns the people whom a record contains. Their names include those found in the record. */
  findIn(record: unknown): ErasedPerson[] {
    const found = new Map<ErasedPerson, Set<string>>();
    this.#find(record, '', found);
    return [...found].map(([person, names]) => ({ ...person, names: [...names, ...person.names] }));
  }

  #find(value: unknown, field: string, found: Map<ErasedPerson, Set<string>>): void {
    const add = (person: ErasedPerson | undefined, ...names: unknown[]) => {
      if (!person) return;
      const texts = names.filter((name) => typeof name === 'string' && name !== '');
      found.set(person, new Set([...(found.get(person) ?? []), ...(texts as string[])]));
    };
    if (typeof value === 'string') add(this.asReference(value, field)?.person);
    else if (Array.isArray(value)) {
      for (const item of value) this.#find(item, field, found);
    } else if (isObject(value)) {
      const described = this.describedBy(value, field);
      if (described) add(described, value.name, value.email);
      // The object belongs to the user: its email address is the user's, but its name is its own.
      else add(this.withId(value.userId), value.email);
      for (const [key, item] of Object.entries(value)) {
        add(this.asReference(key, field)?.person);
        this.#find(item, fieldOf(key, field), found);
      }
    }
  }
}

/** The field that decides what an object is about. A `previous` state is about the same as its parent. */
export const fieldOf = (key: string, parent: string): string => (key === 'previous' ? parent : key);

/** Whether text in a field may contain names of people: not if it is an id, or the name of a thing. */
export const mayContainNames = (field: string): boolean =>
  !ID_FIELD.test(field) && (!THING_NAME_FIELD.test(field) || isForPeople(field));

/** Whether an object describes a file. Its `userId` then names the user who uploaded the file. */
export const isAttachment = ({ attachmentId, size }: JsonObject): boolean =>
  typeof attachmentId === 'string' && typeof size === 'number';
