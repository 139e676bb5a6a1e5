import { isObject } from '../json.ts';
import { fieldOf, type JsonObject, mayContainNames, NamedPeople } from './named-people.ts';
import { type Contents, DELETED_USER, type ErasedPerson } from './people.ts';
import { removeContents } from './remove-contents.ts';
import { TextEraser } from './text-eraser.ts';

/** Fields of an object about a user that are not personal, and are kept. */
const IMPERSONAL_FIELDS = new Set(['accessRole', 'status', 'type', 'previous', 'lastUpdated']);

/**
 * Removes erased users from JSON of any shape. The id of a user is replaced by an alias, an object
 * about the user becomes `{ userId: alias, name }`, and the user's names are removed from text in
 * the same record. JSON without these users is not changed. If contents are removed, only the
 * structure of content that these users wrote remains.
 */
export class Anonymiser {
  /** Strings to search for: JSON that names one of these people contains at least one of these strings. */
  readonly needles: string[];
  readonly #people: NamedPeople;
  readonly #removesContents: boolean;

  constructor(people: ErasedPerson[], contents: Contents = 'keep') {
    this.#removesContents = contents === 'remove';
    this.#people = new NamedPeople(people);
    this.needles = this.#people.needles;
  }

  /** @returns a copy of the record without these people; undefined when it contains none of them */
  anonymise<Value>(record: Value): Value | undefined {
    const found = this.#people.findIn(record);
    if (found.length === 0) return undefined;
    const kept = this.#removesContents ? removeContents(record, '', this.#people) : record;
    return this.#rewrite(kept, '', new TextEraser(found)) as Value;
  }

  #rewrite(value: unknown, field: string, eraser: TextEraser): unknown {
    if (typeof value === 'string') return this.#rewriteText(value, field, eraser);
    if (Array.isArray(value)) return value.map((item) => this.#rewrite(item, field, eraser));
    return isObject(value) ? this.#rewriteObject(value, field, eraser) : value;
  }

  #rewriteText(text: string, field: string, eraser: TextEraser): string {
    const reference = this.#people.asReference(text, field);
    if (reference) return reference.alias;
    return mayContainNames(field) ? eraser.erase(text, field) : text;
  }

  #rewriteObject(value: JsonObject, field: string, eraser: TextEraser): JsonObject {
    const described = this.#people.describedBy(value, field);
    const kept = Object.entries(value).filter(([key]) => !described || IMPERSONAL_FIELDS.has(key));
    // The name of another user is kept, even if it is the same.
    const isAnother = typeof value.userId === 'string' && !this.#people.withId(value.userId);
    const rewritten = kept.map(([key, item]) => [
      this.#people.asReference(key, field)?.alias ?? key,
      isAnother && key === 'name' ? item : this.#rewrite(item, fieldOf(key, field), eraser),
    ]);
    const user = described && {
      [value.userId === undefined ? 'id' : 'userId']: described.alias,
      name: DELETED_USER,
    };
    return { ...user, ...Object.fromEntries(rewritten) };
  }
}
