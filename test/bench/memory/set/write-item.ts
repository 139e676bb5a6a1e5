import type { Random } from '../random.ts';
import type { Genre, SetTopic } from './topic.ts';

const PEOPLE =
  'Ada Grace Alan Edsger Barbara Niklaus Margaret Donald Radia Tim Leslie Frances'.split(' ');
const COMPANIES = 'Initech Umbrella Hooli Vandelay Acerola Northwind Contoso Tyrell Globex'.split(
  ' ',
);
const CITIES = 'Lisbon Graz Osaka Nairobi Lima Tampere Porto Boston Ghent Pune'.split(' ');
const MONTHS = 'January March April June September November'.split(' ');

/** The least and most words of an item, without those of its matter. */
export type Length = 'short' | 'medium' | 'long';
const SENTENCES: Record<Length, [least: number, most: number]> = {
  short: [0, 0],
  medium: [1, 4],
  long: [8, 24],
};

export interface ItemOrder {
  genre: Genre;
  topic: SetTopic;
  passes: boolean;
  paraphrased: boolean;
  length: Length;
  /** The index of the author's style. */
  style: number;
}

/** What an author makes of the core of an item, and of the sentences around it. */
type Style = (core: [matter: string, detail: string], around: string[]) => string;

const sentence = (text: string) => (/[.!?]$/.test(text) ? text : `${text}.`);
const joined = (matter: string, detail: string, by: string) =>
  detail === '' || /^[ ,;(-]/.test(detail)
    ? `${matter}${detail.startsWith('(') || detail.startsWith('-') ? ' ' : ''}${detail}`
    : `${matter}${by}${detail}`;

/** Six authors. The topics that only judge are written by all of them, the others by the first four. */
export const STYLES: Style[] = [
  ([matter, detail], around) => [sentence(joined(matter, detail, ', ')), ...around].join(' '),
  ([matter, detail], around) => [...around, sentence(joined(matter, detail, ' - '))].join(' '),
  ([matter, detail], around) => {
    const half = around.length >> 1;
    const core = joined(matter, detail, '; ').toLowerCase();
    return [...around.slice(0, half), core, ...around.slice(half)].join('\n');
  },
  ([matter, detail], around) =>
    ['Please check:', sentence(matter), ...around, sentence(detail.replace(/^[ ,;-]+/, ''))]
      .filter((part) => part !== '.')
      .join(' '),
  ([matter, detail], around) =>
    [`* ${matter}`, `* ${detail.replace(/^[ ,;-]+/, '')}`, ...around.map((one) => `* ${one}`)]
      .filter((line) => line !== '* ')
      .join('\n'),
  ([matter, detail], around) =>
    [
      'Dear colleagues,',
      ...around.slice(1),
      sentence(joined(matter, detail, ' (')),
      ...around.slice(0, 1),
    ]
      .map((part) =>
        part.includes(' (') && !part.includes(')') ? part.replace(/\.$/, ').') : part,
      )
      .join(' '),
];
/** How many styles the topics that parameters are fitted on are written in. */
export const FITTED_STYLES = 4;

const TYPOS = 0.12;

/** The text of an item. */
export function writeItem(order: ItemOrder, random: Random): string {
  const { topic, passes, genre, length } = order;
  const matter = random.pick(order.paraphrased ? topic.paraphrases : topic.matters);
  const detail = random.pick(detailsOf(topic, passes, random));
  const around = surroundings(genre, topic, length, random);
  const style = STYLES[order.style] ?? STYLES[0];
  const text = style?.([matter, detail], around) ?? '';
  const filled = fill(text, topic, passes, random);
  return random.chance(TYPOS) ? misspelt(filled, random) : filled;
}

/** Where the decision does not hang on a detail, any detail is as good as another. */
function detailsOf(topic: SetTopic, passes: boolean, random: Random): string[] {
  const isNeutral = topic.rule === 'always' || topic.rule === 'never';
  return (isNeutral ? random.chance(0.5) : passes) ? topic.passes : topic.fails;
}

function surroundings(genre: Genre, topic: SetTopic, length: Length, random: Random): string[] {
  const [least, most] = SENTENCES[length];
  const count = least + random.below(most - least + 1);
  const asides = shuffled(topic.asides, random).slice(0, Math.min(2, count));
  const fillers = shuffled(genre.fillers, random).slice(0, count - Math.min(asides.length, count));
  return shuffled([...asides, ...fillers], random);
}

function shuffled<Item>(items: readonly Item[], random: Random): Item[] {
  const keyed = items.map((item) => ({ item, key: random.next() }));
  return keyed.sort((a, b) => a.key - b.key).map(({ item }) => item);
}

/** Fills in names and numbers. */
export function fill(text: string, topic: SetTopic | undefined, passes: boolean, random: Random) {
  const limit = topic?.limit ?? 1;
  const number = passes
    ? Math.max(1, Math.round(limit * (0.3 + 0.7 * random.next())))
    : Math.max(limit + 1, Math.round(limit * (1.05 + 1.5 * random.next())));
  return text
    .replaceAll('{n}', String(number))
    .replaceAll('{small}', () => `${3 + random.below(20)}.90`)
    .replaceAll('{company}', () => random.pick(COMPANIES))
    .replaceAll('{person}', () => random.pick(PEOPLE))
    .replaceAll('{city}', () => random.pick(CITIES))
    .replaceAll('{date}', () => `${1 + random.below(28)} ${random.pick(MONTHS)} 2027`);
}

/** Swaps two letters of a long word. */
function misspelt(text: string, random: Random): string {
  const words = text.split(' ');
  const long = words.flatMap((word, index) => (/^[a-z]{5,}$/.test(word) ? [index] : []));
  if (long.length === 0) return text;
  const index = random.pick(long);
  const word = words[index] ?? '';
  const at = 1 + random.below(word.length - 2);
  words[index] = `${word.slice(0, at)}${word[at + 1]}${word[at]}${word.slice(at + 2)}`;
  return words.join(' ');
}
