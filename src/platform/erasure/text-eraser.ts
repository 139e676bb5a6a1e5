import { DELETED_USER, type ErasedPerson, isUnmistakable } from './people.ts';

/** Text that the product composes from names, where even a first name denotes the user. */
const MADE_OF_NAMES = /^display(Headline|Body|Message)/;

const literally = (text: string) => text.replace(/[.*+?^${}()|[\]\\/]/g, '\\$&');
const longestFirst = (one: string, other: string) => other.length - one.length;

/** The @ of an e-mail address, whose domain may name somebody else. */
const BEFORE_DOMAIN = '(?<=[\\p{L}\\p{N}._%+-])@(?=[\\p{L}\\p{N}-]+\\.\\p{L})';
const START_OF_NAME = `(?<![\\p{L}\\p{N}_-]|${BEFORE_DOMAIN})`;
const START_OF_MENTION = `(?!${BEFORE_DOMAIN})@\\{{0,2}`;

/** Matches any of the texts without adjacent letters or digits; undefined when there are none. */
function matcherOf(texts: string[], before = START_OF_NAME): RegExp | undefined {
  const words = texts.filter((text) => text.length > 1).sort(longestFirst);
  if (words.length === 0) return undefined;
  return new RegExp(`${before}(?:${words.map(literally).join('|')})(?![\\p{L}\\p{N}_-])`, 'giu');
}

/** The start of an HTML element: its attributes, and the text up to the next tag. */
const ELEMENT = /(<[a-z][\w-]*)(\s[^<>]*)>([^<]*)/gi;
const IS_MENTION = /mention|user/i;

/**
 * Removes people from text: e-mail addresses, full names, unmistakable ids, mentions (`@Ada`), and every
 * name in headlines and in HTML elements that mention one of the people. A first name within a sentence is
 * kept, since it may be another person's, or a word. All people are looked for at once, so that a name
 * which contains another one is removed as a whole.
 */
export class TextEraser {
  readonly #people: ErasedPerson[];
  readonly #names: Set<string>;
  readonly #unmistakable: RegExp | undefined;
  readonly #mentions: RegExp | undefined;
  readonly #everyName: RegExp | undefined;

  constructor(people: ErasedPerson[]) {
    const names = people.flatMap((person) => person.names);
    const ids = people.map(({ userId }) => userId);
    this.#people = people;
    this.#names = new Set(names.filter((name) => name.length > 1));
    const isFull = (name: string) => name.length > 4 && /\S[\s@]+\S/.test(name);
    this.#unmistakable = matcherOf([...names.filter(isFull), ...ids.filter(isUnmistakable)]);
    this.#mentions = matcherOf([...names, ...ids], START_OF_MENTION);
    this.#everyName = matcherOf(names);
  }

  /** @param field the name of the field that holds the text */
  erase(text: string, field: string): string {
    if (this.#names.has(text)) return DELETED_USER;
    let erased = text.includes('<') ? this.#eraseElements(text) : text;
    if (this.#unmistakable) erased = erased.replace(this.#unmistakable, DELETED_USER);
    // Mentions come after e-mail addresses, whose domains look like mentions.
    if (this.#mentions) erased = erased.replace(this.#mentions, `@${DELETED_USER}`);
    if (MADE_OF_NAMES.test(field)) erased = this.#eraseNames(erased);
    return erased;
  }

  #eraseElements(html: string): string {
    return html.replace(ELEMENT, (whole, start: string, attributes: string, text: string) => {
      if (!IS_MENTION.test(attributes)) return whole;
      let anonymous = attributes;
      for (const { userId, alias } of this.#people) {
        anonymous = anonymous
          .replaceAll(`"${userId}"`, `"${alias}"`)
          .replaceAll(`'${userId}'`, `'${alias}'`);
      }
      if (anonymous === attributes) return whole;
      return `${start}${this.#eraseNames(anonymous)}>${this.#eraseNames(text)}`;
    });
  }

  #eraseNames(text: string): string {
    return this.#everyName ? text.replace(this.#everyName, DELETED_USER) : text;
  }
}
