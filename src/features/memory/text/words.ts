import { stem } from './stem.ts';

/** What is read of a text: the beginning says what it is about. */
export const READ_LENGTH = 2_000;

/** Words that say nothing about an item. Negations are no such words. */
const EMPTY = new Set(
  `a about above after again all also am an and any are as at be because been before being below
  between both but by can could did do does doing down during each few for from further had has
  have having he her here hers him his how i if in into is it its itself just me more most my of
  off on once only or other our ours out over own please same she should so some such than that the
  their theirs them then there these they this those through to too under up us very was we were
  what when where which while who whom why will with would you your yours`.split(/\s+/),
);

/** Scripts that put no spaces between words. */
const UNSPACED =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]+/gu;
const WORD = /[\p{L}\p{N}]+/gu;

/**
 * The different words of a text as they are compared: in lower case, without accents and English
 * endings. Scripts without spaces give pairs of characters. A text of empty words keeps them.
 */
export const wordsOf = (text: string): string[] => [...wordForms(text).keys()];

/** The words as they are compared, each with how it is written (first) in the text. */
export function wordForms(text: string): Map<string, string> {
  const words = plain(text.slice(0, READ_LENGTH)).match(WORD) ?? [];
  const telling = words.filter((word) => !EMPTY.has(word));
  const kept = telling.length > 0 ? telling : words;
  const forms = new Map<string, string>();
  for (const written of kept.flatMap(partsOf)) {
    const word = stem(written);
    if (!forms.has(word)) forms.set(word, written);
  }
  return forms;
}

const plain = (text: string): string =>
  text
    .normalize('NFKD')
    .replaceAll(/\p{M}/gu, '')
    .normalize('NFC')
    .toLowerCase()
    // "don't" is one word, and so is "1,000".
    .replaceAll(/['’]/g, '')
    .replaceAll(/(?<=\d),(?=\d{3}(?!\d))/g, '');

function partsOf(word: string): string[] {
  const unspaced = word.match(UNSPACED);
  if (!unspaced) return [word];
  const spaced = word.replaceAll(UNSPACED, ' ').split(' ');
  return [...unspaced.flatMap(pairsOf), ...spaced.filter((part) => part !== '')];
}

function pairsOf(run: string): string[] {
  const characters = [...run];
  if (characters.length === 1) return characters;
  return characters.slice(1).map((character, index) => `${characters[index]}${character}`);
}
