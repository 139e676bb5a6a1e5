import { DELETED_USER, type ErasedPerson, isUnmistakable } from './people.ts';

/** Matches fields whose text the product composes from names, so that even a first name denotes the user. */
const COMPOSED_FIELD = /^display(Headline|Body|Message)/;

const literally = (text: string) => text.replace(/[.*+?^${}()|[\]\\/]/g, '\\$&');
const longestFirst = (one: string, other: string) => other.length - one.length;

/** The @ of an email address. No name or mention starts there: the domain may contain somebody else's name. */
const EMAIL_AT = '(?<=[\\p{L}\\p{N}._%+-])@(?=[\\p{L}\\p{N}-]+\\.\\p{L})';
const START_OF_NAME = `(?<![\\p{L}\\p{N}_-]|${EMAIL_AT})`;
const START_OF_MENTION = `(?!${EMAIL_AT})@\\{{0,2}`;

/** Returns a pattern for any of the texts, without adjacent letters or digits; undefined for no texts. */
function matcherOf(texts: string[], before = START_OF_NAME): RegExp | undefined {
  const words = texts.filter((text) => text.length > 1).sort(longestFirst);
  if (words.length === 0) return undefined;
  return new RegExp(`${before}(?:${words.map(literally).join('|')})(?![\\p{L}\\p{N}_-])`, 'giu');
}

/** Matches the start of an HTML element: its attributes, and the text up to the next tag. */
const ELEMENT = /(<[a-z][\w-]*)(\s[^<>]*)>([^<]*)/gi;
const MENTION_ATTRIBUTE = /mention|user/i;

/**
 * Removes people from text: email addresses, full names, unmistakable ids, mentions (`@Ada`), and
 * every name in headlines and in HTML elements that mention one of the people. A first name within a
 * sentence is kept, because it may be another person's, or a word. All people are looked for at once,
 * so that a name that contains another name is removed as a whole.
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
    const isFullNameOrEmail = (name: string) => name.length > 4 && /\S[\s@]+\S/.test(name);
    this.#unmistakable = matcherOf([
      ...names.filter(isFullNameOrEmail),
      ...ids.filter(isUnmistakable),
    ]);
    this.#mentions = matcherOf([...names, ...ids], START_OF_MENTION);
    this.#everyName = matcherOf(names);
  }

  /** @param field the name of the field that holds the text */
  erase(text: string, field: string): string {
    if (this.#names.has(text)) return DELETED_USER;
    let erased = text.includes('<') ? this.#eraseElements(text) : text;
    if (this.#unmistakable) erased = erased.replace(this.#unmistakable, DELETED_USER);
    // Mentions come after email addresses, whose domains look like mentions.
    if (this.#mentions) erased = erased.replace(this.#mentions, `@${DELETED_USER}`);
    if (COMPOSED_FIELD.test(field)) erased = this.#eraseNames(erased);
    return erased;
  }

  #eraseElements(html: string): string {
    return html.replace(ELEMENT, (whole, start: string, attributes: string, text: string) => {
      if (!MENTION_ATTRIBUTE.test(attributes)) return whole;
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
