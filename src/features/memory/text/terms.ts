/** Only so many characters of a text are read, since its beginning says what it is about. */
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

/** Matches text in scripts that put no spaces between words. */
const UNSPACED =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]+/gu;
/** Matches the English ending of a word. */
const ENDING = /(?:i[sz]ations?|ations?|ments?|ness|able|ions?|ally|als?|ing|ers?|ed|ly|es|e|s)$/;
/** Shorter stems keep their vowels, since too few letters would be left. */
const MIN_LETTERS = 5;

/**
 * Counts the terms of a text. A term is a word in lower case without accents and English endings. A
 * longer word also loses its vowels after the first letter, so that its inflections and most of its
 * misspellings are one term. In scripts without spaces, the terms are pairs of characters. A text
 * that has only stop words keeps them.
 */
export function termsOf(text: string): Map<string, number> {
  const words = normalize(text).match(/[\p{L}\p{N}]+/gu) ?? [];
  const significant = words.filter((word) => !STOP_WORDS.has(word));
  const terms = new Map<string, number>();
  for (const part of (significant.length > 0 ? significant : words).flatMap(splitUnspaced)) {
    const term = termOf(part);
    terms.set(term, (terms.get(term) ?? 0) + 1);
  }
  return terms;
}

/**
 * Returns the numbers in a text by the term of the next word, which usually is their unit. Each number is
 * given as the logarithm of 1 + the number, since numbers are compared by their ratio. If several numbers
 * have the same unit, the last one counts.
 */
export function numbersOf(text: string): Map<string, number> {
  const words = normalize(text).match(/[\p{L}\p{N}]+|[%€$]/gu) ?? [];
  const numbers = new Map<string, number>();
  words.forEach((word, index) => {
    if (/^[0-9]+$/.test(word)) {
      numbers.set(
        termOf(words[index + 1] ?? ''),
        Math.log1p(Math.min(Number(word), Number.MAX_VALUE)),
      );
    }
  });
  return numbers;
}

/** Returns the term of a word. Repeated letters count once. */
function termOf(word: string): string {
  if (!/^[a-z]+$/.test(word)) return word;
  const singular = word.replace(/ies$/, 'y');
  const ending = /(?:ss|us|is)$/.test(singular) ? undefined : ENDING.exec(singular);
  const stem = ending && ending.index >= 3 ? singular.slice(0, ending.index) : singular;
  const shortStem = stem.replace(/(.)\1+/g, '$1');
  if (shortStem.length < MIN_LETTERS) return shortStem;
  return shortStem.replace(/(?!^)[aeiou]/g, '').replace(/(.)\1+/g, '$1');
}

const normalize = (text: string): string =>
  text
    .slice(0, READ_LENGTH)
    .normalize('NFKD')
    .replaceAll(/\p{M}/gu, '')
    .normalize('NFC')
    .toLowerCase()
    // "don't" and "1,000" are one word each.
    .replaceAll(/['’]/g, '')
    .replaceAll(/(?<=\d),(?=\d{3}(?!\d))/g, '');

/** Splits the parts of a word in scripts without spaces into pairs of characters. */
function splitUnspaced(word: string): string[] {
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
