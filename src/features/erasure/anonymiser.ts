import { DELETED_USER, type ErasedPerson, isUnmistakable } from './people.ts';
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
/** What of an object about a user tells of something else. */
const NOT_PERSONAL = new Set(['accessRole', 'status', 'type', 'previous', 'lastUpdated']);
const CHANNEL = 'user:';

type JsonObject = Record<string, unknown>;

const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/**
 * Takes people out of JSON of any shape. Where a person's id stands as a user's, an alias takes its
 * place, objects about the person become `{ userId: alias, name }`, and then text in the same
 * record loses the names as well. JSON that does not name the person stays as it is.
 */
export class Anonymiser {
  /** JSON that names one of them has at least one of these texts in it. */
  readonly needles: string[];
  readonly #people: Map<string, ErasedPerson>;

  constructor(people: ErasedPerson[]) {
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
    const about = this.#isAbout(value, field);
    // Another may have the same name, and keeps it.
    const isAnother = !about && typeof value.userId === 'string';
    const kept = Object.entries(value).filter(([key]) => !about || NOT_PERSONAL.has(key));
    const rest = kept.map(([key, item]) => [
      this.#aliasIn(key, field) ?? key,
      isAnother && key === 'name' ? item : this.#rewrite(item, key, erasers),
    ]);
    const user = about && {
      [value.userId === undefined ? 'id' : 'userId']: about.alias,
      name: DELETED_USER,
    };
    return { ...user, ...Object.fromEntries(rest) };
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

const namesIn = ({ name, email }: JsonObject): string[] =>
  [name, email].filter((text): text is string => typeof text === 'string' && text !== '');
