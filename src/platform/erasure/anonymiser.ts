import { isObject } from '../json.ts';
import { type Contents, DELETED_USER, type ErasedPerson, isUnmistakable } from './people.ts';
import { TextEraser } from './text-eraser.ts';

/** Fields that contain people: an id in such a field is a user's id. */
const NAMES_PEOPLE =
  /user|author|actor|person|people|assign|owner|creator|recipient|member|reviewer|resolver|participant|subscriber|mention|contact|by$|^from$|^to$/i;
/** Fields of user groups have similar names, but contain no people. */
const holdsPeople = (field: string) => NAMES_PEOPLE.test(field) && !/group/i.test(field);
/** Fields with names of things that are not users. */
const NAMES_THINGS = /(Key|[a-z]Name|^type|^icon|[cC]olor)$/;
/** Fields whose whole text is an id. If it is not the user's id, it stays as it is. */
const HOLDS_IDS = /(^id|Ids?|^channels)$/;
/** Fields that hold other things than users. A `userId` in such a thing names the user to whom it belongs. */
const HOLDS_OTHERS =
  /^(resource|metadata|content|fields|location|pageInfo|suggestion|attachments)$/;
/** Fields of an object about a user that are not personal, and stay. */
const NOT_PERSONAL = new Set(['accessRole', 'status', 'type', 'previous', 'lastUpdated']);
/** Statuses of a presence that say nothing about the user. */
const COMMON_STATUSES = new Set(['online', 'away', 'offline']);
/** The prefix of a user's channel. */
const CHANNEL = 'user:';
/** Fields that identify or locate a user's content. They stay when the content is removed. */
const STRUCTURE =
  /^(id|type|status|apiKey|channels|from|actionUser|resolvedBy|lastCommentBy|updatedBy|createdAt|lastUpdated|timestamp|comments|reactionAnnotations|fromUsers|visibility|visibilityConfig|context|subscribedUsers|unsubscribedUsers|assignedTo|priority|agent|notifyUsers|notifyUsersByUserId|notificationSource)$|[a-z]Ids?$/;
/** Fields that contain nested content of the same kind. */
const PARTS = /^(metadata|fields|content|previous)$/;
/** Fields that describe a user's action in a headline or message. */
const DISPLAYED = /^display/;

type JsonObject = Record<string, unknown>;

/** The names that a record contains for each user, by userId. */
type FoundNames = Map<string, Set<string>>;

/**
 * Removes erased users from JSON of any shape. The id of a user is replaced by an alias, an object
 * about the user becomes `{ userId: alias, name }`, and the user's names are removed from text in
 * the same record. JSON without these users is not changed. If contents are removed, only the
 * structure of content that these users wrote remains.
 */
export class Anonymiser {
  /** JSON that names one of these people contains at least one of these texts. */
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

  /** @returns a copy of the record without these people; undefined when it contains none of them */
  anonymise<Value>(record: Value): Value | undefined {
    const found: FoundNames = new Map();
    this.#find(record, '', found);
    if (found.size === 0) return undefined;
    const people = [...found].flatMap(([userId, names]) => {
      const person = this.#people.get(userId);
      return person ? [{ ...person, names: [...names, ...person.names] }] : [];
    });
    return this.#rewrite(record, '', new TextEraser(people)) as Value;
  }

  /** Returns the person whom a text denotes: by an id in a field for people, or by a channel. */
  #named(text: string, field: string): ErasedPerson | undefined {
    const isChannel = text.startsWith(CHANNEL) && this.#people.has(text.slice(CHANNEL.length));
    const person = this.#people.get(isChannel ? text.slice(CHANNEL.length) : text);
    if (!person || isChannel || holdsPeople(field)) return person;
    const denotesOther = HOLDS_IDS.test(field) || NAMES_THINGS.test(field);
    return isUnmistakable(text) && !denotesOther ? person : undefined;
  }

  /**
   * Returns the person whom an object describes: by its userId, or by its id in a field for people.
   */
  #describedBy(value: JsonObject, field: string): ErasedPerson | undefined {
    if (HOLDS_OTHERS.test(field) || isAttachment(value)) return undefined;
    const id = value.userId ?? (holdsPeople(field) ? value.id : undefined);
    return typeof id === 'string' ? this.#people.get(id) : undefined;
  }

  /** Adds the people whom a value contains, and their names in it, to `found`. */
  #find(value: unknown, field: string, found: FoundNames): void {
    const add = ({ userId }: ErasedPerson, names: string[] = []) => {
      found.set(userId, new Set([...(found.get(userId) ?? []), ...names]));
    };
    if (typeof value === 'string') {
      const person = this.#named(value, field);
      if (person) add(person);
    } else if (Array.isArray(value)) {
      for (const item of value) this.#find(item, field, found);
    } else if (isObject(value)) {
      const described = this.#describedBy(value, field);
      const owner = typeof value.userId === 'string' ? this.#people.get(value.userId) : undefined;
      if (described) add(described, textsAmong([value.name, value.email]));
      // The name of something that belongs to a user is its own. An e-mail address is the user's.
      else if (owner) add(owner, textsAmong([value.email]));
      for (const [key, item] of Object.entries(value)) {
        const person = this.#named(key, field);
        if (person) add(person);
        this.#find(item, fieldOf(key, field), found);
      }
    }
  }

  #rewrite(value: unknown, field: string, eraser: TextEraser): unknown {
    if (typeof value === 'string') return this.#rewriteText(value, field, eraser);
    if (Array.isArray(value)) return value.map((item) => this.#rewrite(item, field, eraser));
    if (!isObject(value)) return value;
    const kept = this.#removesContents ? this.#keptOf(value) : value;
    return this.#rewriteFields(kept, field, eraser);
  }

  /** Returns the remaining part of an object whose content is removed. */
  #keptOf(value: JsonObject): JsonObject {
    if (this.#isTheirContent(value)) return withoutContents(value);
    const kept = { ...value };
    const actor = value.actionUser;
    if (isObject(value.reaction) && isObject(actor) && this.#describedBy(actor, 'actionUser')) {
      kept.reaction = withoutContents(value.reaction);
    }
    const source = value.notificationSourceData;
    if ('location' in value && isObject(source) && this.#isTheirContent(source)) kept.location = {};
    return kept;
  }

  /** Whether one of these people wrote the content, or whether it describes an action of theirs. */
  #isTheirContent(value: JsonObject): boolean {
    const isTheirs = (user: unknown, field: string) =>
      isObject(user) && this.#describedBy(user, field) !== undefined;
    if (isTheirs(value.from, 'from')) return true;
    const authorId = isAttachment(value) ? value.userId : value.authorId;
    if (typeof authorId === 'string' && this.#people.has(authorId)) return true;
    const { fromUsers } = value;
    if (Array.isArray(fromUsers) && fromUsers.length > 0) {
      return fromUsers.every((one) => isObject(one) && isTheirs(one.from, 'from'));
    }
    return isTheirs(value.actionUser, 'actionUser') && isMessage(value);
  }

  #rewriteFields(value: JsonObject, field: string, eraser: TextEraser): unknown {
    const described = this.#describedBy(value, field);
    // Another user who has the same name keeps it.
    const isAnother = typeof value.userId === 'string' && !this.#people.has(value.userId);
    const kept = Object.entries(value).filter(([key]) => !described || NOT_PERSONAL.has(key));
    const rest = kept.map(([key, item]) => [
      this.#aliasIn(key, field) ?? key,
      isAnother && key === 'name'
        ? item
        : this.#rewrite(this.#keptStatus(item, key, described), fieldOf(key, field), eraser),
    ]);
    const user = described && {
      [value.userId === undefined ? 'id' : 'userId']: described.alias,
      name: DELETED_USER,
    };
    return { ...user, ...Object.fromEntries(rest) };
  }

  /** Replaces the status of a presence, which is text that the user wrote, unless it is common. */
  #keptStatus(item: unknown, field: string, described: ErasedPerson | undefined): unknown {
    const isTheirs = described !== undefined && field === 'status' && this.#removesContents;
    return isTheirs && typeof item === 'string' && !COMMON_STATUSES.has(item) ? 'offline' : item;
  }

  #rewriteText(text: string, field: string, eraser: TextEraser): string {
    const alias = this.#aliasIn(text, field);
    if (alias !== undefined) return alias;
    if (HOLDS_IDS.test(field)) return text;
    if (NAMES_THINGS.test(field) && !holdsPeople(field)) return text;
    return eraser.erase(text, field);
  }

  #aliasIn(text: string, field: string): string | undefined {
    const person = this.#named(text, field);
    return person && (text === person.userId ? person.alias : CHANNEL + person.alias);
  }
}

/** The field that decides what an object is about. A `previous` state is about the same. */
const fieldOf = (key: string, parent: string): string => (key === 'previous' ? parent : key);

/** Whether an object describes a file, and not the user who uploaded it, whose `userId` it has. */
const isAttachment = ({ attachmentId, size }: JsonObject): boolean =>
  typeof attachmentId === 'string' && typeof size === 'number';

/**
 * Whether the text describes an action, as in activities and notifications from callers. Events
 * about comments of others contain no such text.
 */
const isMessage = (value: JsonObject): boolean =>
  Object.keys(value).some((key) => DISPLAYED.test(key)) ||
  ('data' in value && !(isObject(value.data) && 'from' in value.data));

/** Empties the fields with content. They do not become absent, since readers expect them. */
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

const textsAmong = (values: unknown[]): string[] =>
  values.filter((value): value is string => typeof value === 'string' && value !== '');
