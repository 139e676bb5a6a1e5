import { type Contents, DELETED_USER, type ErasedPerson, isUnmistakable } from './people.ts';
import { TextEraser } from './text-eraser.ts';

/** Fields that hold people: an id that stands in one is a user's. */
const NAMES_PEOPLE =
  /user|author|actor|person|people|assign|owner|creator|recipient|member|reviewer|resolver|participant|subscriber|mention|contact|by$|^from$|^to$/i;
/** Groups of users are none, though they are called so. */
const holdsPeople = (field: string) => NAMES_PEOPLE.test(field) && !/group/i.test(field);
/** Fields that hold what something else is called, or is. */
const NAMES_THINGS = /(Key|[a-z]Name|^type|^icon|[cC]olor)$/;
/** Fields whose text is an id as a whole, if not of this person then of another. */
const HOLDS_IDS = /(^id|Ids?|^channels)$/;
/** Fields of an object about a user that are not personal. */
const NOT_PERSONAL = new Set(['accessRole', 'status', 'type', 'previous', 'lastUpdated']);
const COMMON_STATUSES = new Set(['online', 'away', 'offline']);
const CHANNEL = 'user:';
/** Fields of a user's content that say what it is and where it belongs, and are kept. */
const STRUCTURE =
  /^(id|type|status|apiKey|channels|from|actionUser|resolvedBy|lastCommentBy|updatedBy|createdAt|lastUpdated|timestamp|comments|reactionAnnotations|fromUsers|visibility|visibilityConfig|context|subscribedUsers|unsubscribedUsers|assignedTo|priority|agent|notifyUsers|notifyUsersByUserId|notificationSource)$|[a-z]Ids?$/;
/** What holds more of the same thing. */
const PARTS = /^(metadata|fields|content|previous)$/;
/** What a headline or a message of something that a user did begins with. */
const DISPLAYED = /^display/;

type JsonObject = Record<string, unknown>;

const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/**
 * Takes people out of JSON of any shape. Where a person's id stands as a user's, an alias takes its
 * place, objects about the person become `{ userId: alias, name }`, and then text in the same
 * record loses the names as well. JSON that does not name the person stays as it is. Where contents
 * are to be removed, what the person wrote loses everything but its structure.
 */
export class Anonymiser {
  /** JSON that names one of them has at least one of these texts in it. */
  readonly needles: string[];
  readonly #people: Map<string, ErasedPerson>;
  readonly #removesContents: boolean;

  constructor(people: ErasedPerson[], contents: Contents = 'keep') {
    this.#removesContents = contents === 'remove';
    this.#people = new Map(people.map((person) => [person.userId, person]));
    this.needles = people.flatMap(({ userId }) => [
      JSON.stringify(userId),
      JSON.stringify(CHANNEL + userId),
    ]);
  }

  /** @returns the record without them, or nothing when none of them was in it */
  without<Value>(record: Value): Value | undefined {
    const found = new Map<string, Set<string>>();
    this.#find(record, '', found);
    if (found.size === 0) return undefined;
    const erasers = [...found].flatMap(([userId, names]) => {
      const person = this.#people.get(userId);
      return person ? [new TextEraser({ ...person, names: [...names, ...person.names] })] : [];
    });
    return this.#rewrite(record, '', erasers) as Value;
  }

  /** Who is meant by a text: as an id, where the field holds people, or as a channel. */
  #named(text: string, field: string): ErasedPerson | undefined {
    const isChannel = text.startsWith(CHANNEL) && this.#people.has(text.slice(CHANNEL.length));
    const person = this.#people.get(isChannel ? text.slice(CHANNEL.length) : text);
    if (!person || isChannel || holdsPeople(field)) return person;
    const isOther = HOLDS_IDS.test(field) || NAMES_THINGS.test(field);
    return isUnmistakable(text) && !isOther ? person : undefined;
  }

  /** Whom an object is about: by its userId, or by its id where the field holds people. */
  #isAbout(value: JsonObject, field: string): ErasedPerson | undefined {
    const id = value.userId ?? (holdsPeople(field) ? value.id : undefined);
    return typeof id === 'string' ? this.#people.get(id) : undefined;
  }

  #find(value: unknown, field: string, found: Map<string, Set<string>>): void {
    const names = ({ userId }: ErasedPerson) => {
      const known = found.get(userId) ?? new Set<string>();
      found.set(userId, known);
      return known;
    };
    if (typeof value === 'string') {
      const person = this.#named(value, field);
      if (person) names(person);
    } else if (Array.isArray(value)) {
      for (const item of value) this.#find(item, field, found);
    } else if (isObject(value)) {
      const about = this.#isAbout(value, field);
      if (about) for (const name of namesIn(value)) names(about).add(name);
      for (const [key, item] of Object.entries(value)) {
        const named = this.#named(key, field);
        if (named) names(named);
        this.#find(item, key, found);
      }
      if (about) names(about);
    }
  }

  #rewrite(value: unknown, field: string, erasers: TextEraser[]): unknown {
    if (typeof value === 'string') return this.#rewriteText(value, field, erasers);
    if (Array.isArray(value)) return value.map((item) => this.#rewrite(item, field, erasers));
    if (!isObject(value)) return value;
    const kept = this.#removesContents ? this.#keptOf(value) : value;
    return this.#rewriteFields(kept, field, erasers);
  }

  /** What is left of an object where what they wrote is to go. */
  #keptOf(value: JsonObject): JsonObject {
    if (this.#isWritten(value)) return withoutContents(value);
    const kept = { ...value };
    const actor = value.actionUser;
    if (isObject(value.reaction) && isObject(actor) && this.#isAbout(actor, 'actionUser')) {
      kept.reaction = withoutContents(value.reaction);
    }
    const source = value.notificationSourceData;
    if ('location' in value && isObject(source) && this.#isWritten(source)) kept.location = {};
    return kept;
  }

  /** Whether one of them wrote it, or what is displayed is about what one of them did. */
  #isWritten(value: JsonObject): boolean {
    const isTheirs = (user: unknown, field: string) =>
      isObject(user) && this.#isAbout(user, field) !== undefined;
    if (isTheirs(value.from, 'from')) return true;
    if (typeof value.authorId === 'string' && this.#people.has(value.authorId)) return true;
    const { fromUsers } = value;
    if (Array.isArray(fromUsers) && fromUsers.length > 0) {
      return fromUsers.every((one) => isObject(one) && isTheirs(one.from, 'from'));
    }
    return isTheirs(value.actionUser, 'actionUser') && isMessage(value);
  }

  #rewriteFields(value: JsonObject, field: string, erasers: TextEraser[]): unknown {
    const about = this.#isAbout(value, field);
    // Another may have the same name, and keeps it.
    const isAnother = !about && typeof value.userId === 'string';
    const kept = Object.entries(value).filter(([key]) => !about || NOT_PERSONAL.has(key));
    const rest = kept.map(([key, item]) => [
      this.#aliasIn(key, field) ?? key,
      isAnother && key === 'name'
        ? item
        : this.#rewrite(this.#saidOf(item, key, about), key, erasers),
    ]);
    const user = about && {
      [value.userId === undefined ? 'id' : 'userId']: about.alias,
      name: DELETED_USER,
    };
    return { ...user, ...Object.fromEntries(rest) };
  }

  /** The status of a presence is what its user chose to say, unless it is a common word. */
  #saidOf(item: unknown, field: string, about: ErasedPerson | undefined): unknown {
    const isTheirs = about !== undefined && field === 'status' && this.#removesContents;
    return isTheirs && typeof item === 'string' && !COMMON_STATUSES.has(item) ? 'offline' : item;
  }

  #rewriteText(text: string, field: string, erasers: TextEraser[]): string {
    const alias = this.#aliasIn(text, field);
    if (alias !== undefined) return alias;
    if (HOLDS_IDS.test(field)) return text;
    if (NAMES_THINGS.test(field) && !holdsPeople(field)) return text;
    return erasers.reduce((erased, eraser) => eraser.erase(erased, field), text);
  }

  #aliasIn(text: string, field: string): string | undefined {
    const person = this.#named(text, field);
    return person && (text === person.userId ? person.alias : CHANNEL + person.alias);
  }
}

/** What a caller recorded or notified of; an event about a comment of another says no such thing. */
const isMessage = (value: JsonObject): boolean =>
  Object.keys(value).some((key) => DISPLAYED.test(key)) ||
  ('data' in value && !(isObject(value.data) && 'from' in value.data));

/** Of the writing, empty fields are left: readers expect them. */
function withoutContents(value: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => {
      if (STRUCTURE.test(key)) return [key, item];
      if (PARTS.test(key) && isObject(item)) return [key, withoutContents(item)];
      return [key, emptied(item)];
    }),
  );
}

function emptied(item: unknown): unknown {
  if (typeof item === 'string') return '';
  if (Array.isArray(item)) return [];
  return isObject(item) ? {} : item;
}

const namesIn = ({ name, email }: JsonObject): string[] =>
  [name, email].filter((text): text is string => typeof text === 'string' && text !== '');
