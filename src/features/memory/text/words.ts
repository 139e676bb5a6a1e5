import { stem } from './stem.ts';

/** How many characters of a text are read: its beginning says what it is about. */
export const READ_LENGTH = 2_000;

/** Stop words, which say nothing about an item. Negations are not among them. */
const STOP_WORDS = new Set(
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
 * The distinct words of a text in lower case, without accents and English endings. Scripts without
 * spaces give pairs of characters. A text that has only stop words keeps them.
 */
export const wordsOf = (text: string): string[] => [...wordForms(text).keys()];

/** The words as `wordsOf` gives them, each with its first spelling in the text. */
export function wordForms(text: string): Map<string, string> {
  const words = plain(text.slice(0, READ_LENGTH)).match(WORD) ?? [];
  const significant = words.filter((word) => !STOP_WORDS.has(word));
  const kept = significant.length > 0 ? significant : words;
  const forms = new Map<string, string>();
  for (const written of kept.flatMap(partsOf)) {
    const word = stem(written);
    if (!forms.has(word)) forms.set(word, written);
  }
  return forms;
}

/** All words in their order, stop words included, as `wordsOf` gives them and as they are written. */
export const tokensOf = (text: string): Array<[word: string, written: string]> =>
  (plain(text.slice(0, READ_LENGTH)).match(WORD) ?? [])
    .flatMap(partsOf)
    .map((written) => [stem(written), written]);

const plain = (text: string): string =>
  text
    .normalize('NFKD')
    .replaceAll(/\p{M}/gu, '')
    .normalize('NFC')
    .toLowerCase()
    // "don't" and "1,000" are one word each.
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
