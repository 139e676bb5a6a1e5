import type { Finding } from '../harness/benchmark.ts';
import type { Answered } from './leave-one-out.ts';

/** Widths of the table's rows. Below 0.5 the other decision would be suggested. */
const BINS = [0.5, 0.6, 0.7, 0.8, 0.9];
const MOST_ERROR = 0.08;
/** How much better than either baseline is clearly better. */
const CLEARLY = 0.03;

/** A suggestion as it was made, and whether it was right. */
interface Made {
  confidence: number;
  right: boolean;
}

const isRight = (said: boolean, { judgment }: Answered) => said === judgment.approved;

const shareOf = <Item>(items: Item[], which: (item: Item) => boolean): number =>
  items.filter(which).length / Math.max(1, items.length);

const percent = (share: number) => `${(100 * share).toFixed(1)} %`;

/** Accuracy at the same coverage, and whether the confidence is a probability. */
export function scores(what: string, answers: Answered[]): Finding[] {
  const answered = answers.filter(({ ours }) => ours !== undefined);
  const made = answered.map(madeOf);
  const accuracy = shareOf(made, ({ right }) => right);
  const { majority, same, surest } = baselines(answers, answered);
  const best = Math.max(majority, same, surest);
  const error = calibrationError(made);
  const brier = mean(made.map(({ confidence, right }) => (confidence - Number(right)) ** 2));
  return [
    {
      label: what,
      value: `${answers.length} judgments, coverage ${percent(answered.length / answers.length)}, accuracy ${percent(accuracy)}`,
      target: `>= ${percent(best + CLEARLY)}`,
      met: accuracy >= best + CLEARLY,
    },
    { label: '  majority decision', value: percent(majority) },
    {
      label: '  nearest by full text',
      value: `${percent(same)} of the same items, ${percent(surest)} of as many with its best ranks`,
    },
    {
      label: '  calibration',
      value: `error ${error.toFixed(3)}, Brier score ${brier.toFixed(3)}`,
      target: `<= ${MOST_ERROR}`,
      met: error <= MOST_ERROR,
    },
    ...reliability(made),
  ];
}

function madeOf(answer: Answered): Made {
  const probability = answer.ours ?? 0.5;
  const approve = probability >= 0.5;
  return { confidence: approve ? probability : 1 - probability, right: isRight(approve, answer) };
}

/** Each baseline as it does on the items that we answer, or, where that is better, on its own best. */
function baselines(answers: Answered[], answered: Answered[]) {
  const nearestIsRight = (answer: Answered) =>
    answer.nearest !== undefined && isRight(answer.nearest.approved, answer);
  const rank = ({ nearest }: Answered) => nearest?.rank ?? -1;
  const surest = answers.toSorted((a, b) => rank(b) - rank(a)).slice(0, answered.length);
  return {
    majority: shareOf(answered, (answer) => isRight(answer.majority, answer)),
    same: shareOf(answered, nearestIsRight),
    surest: shareOf(surest, nearestIsRight),
  };
}

const mean = (values: number[]) =>
  values.reduce((sum, value) => sum + value, 0) / Math.max(1, values.length);

const binsOf = (made: Made[]) =>
  BINS.map((from, index) =>
    made.filter(({ confidence }) => confidence >= from && confidence < (BINS[index + 1] ?? 2)),
  );

/** How far the confidence is from how often it is right, on average over all suggestions. */
function calibrationError(made: Made[]): number {
  const gaps = binsOf(made).map((bin) =>
    Math.abs(bin.reduce((sum, { confidence, right }) => sum + confidence - Number(right), 0)),
  );
  return gaps.reduce((sum, gap) => sum + gap, 0) / Math.max(1, made.length);
}

const reliability = (made: Made[]): Finding[] =>
  binsOf(made).map((bin, index) => ({
    label: `    said ${BINS[index]?.toFixed(1)} to ${(BINS[index + 1] ?? 1).toFixed(1)}`,
    value:
      bin.length === 0
        ? 'none'
        : `${mean(bin.map(({ confidence }) => confidence)).toFixed(2)} on average, right ${shareOf(bin, ({ right }) => right).toFixed(2)} (${bin.length})`,
  }));
