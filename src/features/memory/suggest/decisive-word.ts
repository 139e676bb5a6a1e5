import type { Dimension, TextVectors } from './likeness.ts';
import type { TextFeatures } from './text-features.ts';

/** What a decision hangs on in the texts. */
export interface DecisiveWord {
  approves: boolean;
  /** Such as `Rejected mostly where "date" is not named (9 of 10).` */
  sentence: string;
}

/** How many of the strongest effects are looked at. */
const MOST_EFFECTS = 8;
/** The fewest judgments on either side, their share of one decision, and its least difference. */
const LEAST_SIDE = 3;
const MOSTLY = 0.75;
const LEAST_DIFFERENCE = 0.4;

/**
 * Finds the word, or the size of a number, on whose side the question is and that tells approvals
 * from rejections.
 *
 * @param texts those of the judgments and, as the last one, the question's
 * @param values 1 for approvals and -1 for rejections
 */
export function decisiveWord(
  { dimensions, texts: vectors }: TextVectors,
  effects: Float64Array,
  values: Float64Array,
  texts: TextFeatures[],
): DecisiveWord | undefined {
  const strongest = dimensions
    .map((dimension, index) => ({ dimension, index, effect: Math.abs(effects[index] ?? 0) }))
    .filter(({ dimension }) => dimension.isNumber || !dimension.word.includes(' '))
    .sort((a, b) => b.effect - a.effect || a.index - b.index)
    .slice(0, MOST_EFFECTS);
  const splits = strongest.flatMap(({ dimension, index }) => {
    const valueIn = (row: number) => {
      const { indexes = [], values: own = [] } = vectors[row] ?? {};
      const at = indexes.indexOf(index);
      return at < 0 ? 0 : Math.sign(own[at] ?? 0);
    };
    const own = valueIn(texts.length - 1);
    if (dimension.isNumber && own === 0) return [];
    const [same, others] = [tally(), tally()];
    values.forEach((value, row) => {
      const side = valueIn(row);
      if (dimension.isNumber && side === 0) return;
      add(side === own ? same : others, value);
    });
    const difference = same.approved / same.all - others.approved / others.all;
    const isClear = Math.min(same.all, others.all) >= LEAST_SIDE;
    const approves = same.approved * 2 >= same.all;
    const most = approves ? same.approved : same.all - same.approved;
    if (!isClear || most < MOSTLY * same.all || Math.abs(difference) < LEAST_DIFFERENCE) return [];
    if (difference > 0 !== approves) return [];
    const where = whereOf(dimension, own, texts);
    const verb = approves ? 'Approved' : 'Rejected';
    const sentence = `${verb} mostly where ${where} (${most} of ${same.all}).`;
    return [{ approves, sentence, difference: Math.abs(difference) }];
  });
  const [clearest] = splits.sort((a, b) => b.difference - a.difference);
  return clearest && { approves: clearest.approves, sentence: clearest.sentence };
}

interface Tally {
  approved: number;
  all: number;
}

const tally = (): Tally => ({ approved: 0, all: 0 });

function add(side: Tally, value: number): void {
  side.all += 1;
  if (value > 0) side.approved += 1;
}

function whereOf({ word, isNumber }: Dimension, side: number, texts: TextFeatures[]): string {
  const written =
    texts.map(({ words }) => words.get(word)).find((one) => one !== undefined) ?? word;
  if (isNumber) {
    const size = side > 0 ? 'high' : 'low';
    return written === '' ? `the number is ${size}` : `the number of "${written}" is ${size}`;
  }
  return side === 0 ? `"${written}" is not named` : `"${written}" is named`;
}
