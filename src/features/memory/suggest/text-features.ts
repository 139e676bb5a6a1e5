import { tokensOf } from '../text/words.ts';

/** What a decision may hang on in a text. */
export interface TextFeatures {
  /** The words, each with its first spelling. */
  words: Map<string, string>;
  /** The numbers, by the words after them: the natural logarithm of 1 + the last one. */
  numbers: Map<string, number>;
}

/** Spellings of units that are no forms of one word. */
const UNITS: ReadonlyMap<string, string> = new Map([
  ['px', 'pixel'],
  ['h', 'hour'],
  ['s', 'second'],
  ['min', 'minut'],
  ['eur', 'euro'],
]);
const SIGNS: Array<[sign: RegExp, word: string]> = [
  [/%/g, ' percent '],
  [/€/g, ' euro '],
  [/\$/g, ' dollar '],
];
const NEGATIONS = new Set(
  'no not without never none nobody nothing lacks lacking missing cannot neither nor empty'.split(
    ' ',
  ),
);
/** Stands for any negation. No word has a space. */
export const NEGATED = 'a negation ';
/** Stands for a number of so many digits. */
const numberOf = (digits: number) => `a number of ${digits} digits`;
export const ANY_NUMBER = 'a number ';

export function featuresOf(text: string): TextFeatures {
  const spelt = SIGNS.reduce((whole, [sign, word]) => whole.replaceAll(sign, word), text);
  const tokens = tokensOf(spelt).map(([word, written]): [string, string] => [
    UNITS.get(word) ?? word,
    written,
  ]);
  const words = new Map<string, string>();
  const numbers = new Map<string, number>();
  const add = (word: string, written: string) => {
    if (!words.has(word)) words.set(word, written);
  };
  for (const [index, [word, written]] of tokens.entries()) {
    if (NEGATIONS.has(written)) add(NEGATED, NEGATED);
    if (!/^[0-9]+$/.test(word)) {
      add(word, written);
      continue;
    }
    numbers.set(tokens[index + 1]?.[0] ?? '', Math.log1p(Number(word)));
    add(numberOf(word.length), numberOf(word.length));
    add(ANY_NUMBER, ANY_NUMBER);
  }
  return { words, numbers };
}
