import type { Finding } from '../harness/benchmark.ts';
import type { Answered } from './leave-one-out.ts';

/** The columns of the table. Below 0.5 the other decision would be suggested. */
const BINS = [0.5, 0.6, 0.7, 0.8, 0.9];
const MOST_ERROR = 0.08;
/** A clear improvement over either baseline. */
const CLEARLY = 0.03;

/** A suggestion, and whether it was right. */
interface ScoredSuggestion {
  confidence: number;
  right: boolean;
}

const isRight = (approves: boolean, { judgment }: Answered) => approves === judgment.approved;

const shareOf = <Item>(items: Item[], which: (item: Item) => boolean): number =>
  items.filter(which).length / Math.max(1, items.length);

const percent = (share: number) => `${(100 * share).toFixed(1)} %`;

/** Reports accuracy at equal coverage, and whether the confidence is a probability. */
export function scores(what: string, answers: Answered[]): Finding[] {
  const answered = answers.filter(({ ours }) => ours !== undefined);
  const made = answered.map(suggestionOf);
  const error = calibrationError(made);
  const brier = mean(made.map(({ confidence, right }) => (confidence - Number(right)) ** 2));
  const coverage = answered.length / answers.length;
  return [
    { label: what, value: `${answers.length} judgments, ${percent(coverage)} answered` },
    ...[0.25, 0.5, coverage]
      .filter((share) => share <= coverage)
      .map((share) => accuracyAt(share, answers, answered)),
    {
      label: '  calibration',
      value: `error ${error.toFixed(3)}, Brier score ${brier.toFixed(3)}`,
      target: `<= ${MOST_ERROR}`,
      met: error <= MOST_ERROR,
    },
    ...reliability(made),
  ];
}

/** Accuracy on the share of judgments with the highest confidence or rank. */
function accuracyAt(share: number, answers: Answered[], answered: Answered[]): Finding {
  const count = Math.round(share * answers.length);
  const surest = answered
    .toSorted((a, b) => suggestionOf(b).confidence - suggestionOf(a).confidence)
    .slice(0, count);
  const ours = shareOf(surest, (answer) => suggestionOf(answer).right);
  const { majority, same, own } = baselines(answers, surest);
  const best = Math.max(majority, own);
  return {
    label: `  accuracy at ${percent(share)}`,
    value: `${percent(ours)}; majority ${percent(majority)}; nearest by full text ${percent(own)} (of our items ${percent(same)})`,
    target: `>= ${percent(best + CLEARLY)}`,
    met: ours >= best + CLEARLY,
  };
}

function suggestionOf(answer: Answered): ScoredSuggestion {
  const probability = answer.ours ?? 0.5;
  const approve = probability >= 0.5;
  return { confidence: approve ? probability : 1 - probability, right: isRight(approve, answer) };
}

/** Accuracy of each baseline on the items that we answer, and on as many of its best ranks. */
function baselines(answers: Answered[], surest: Answered[]) {
  const nearestIsRight = (answer: Answered) =>
    answer.nearest !== undefined && isRight(answer.nearest.approved, answer);
  const rank = ({ nearest }: Answered) => nearest?.rank ?? -1;
  const own = answers.toSorted((a, b) => rank(b) - rank(a)).slice(0, surest.length);
  return {
    majority: shareOf(surest, (answer) => isRight(answer.majority, answer)),
    same: shareOf(surest, nearestIsRight),
    own: shareOf(own, nearestIsRight),
  };
}

const mean = (values: number[]) =>
  values.reduce((sum, value) => sum + value, 0) / Math.max(1, values.length);

const binsOf = (made: ScoredSuggestion[]) =>
  BINS.map((from, index) =>
    made.filter(({ confidence }) => confidence >= from && confidence < (BINS[index + 1] ?? 2)),
  );

/** The average difference between confidence and accuracy over all suggestions. */
function calibrationError(made: ScoredSuggestion[]): number {
  const gaps = binsOf(made).map((bin) =>
    Math.abs(bin.reduce((sum, { confidence, right }) => sum + confidence - Number(right), 0)),
  );
  return gaps.reduce((sum, gap) => sum + gap, 0) / Math.max(1, made.length);
}

const reliability = (made: ScoredSuggestion[]): Finding[] =>
  binsOf(made).map((bin, index) => ({
    label: `    confidence ${BINS[index]?.toFixed(1)} to ${(BINS[index + 1] ?? 1).toFixed(1)}`,
    value:
      bin.length === 0
        ? 'none'
        : `${mean(bin.map(({ confidence }) => confidence)).toFixed(2)} on average, right ${shareOf(bin, ({ right }) => right).toFixed(2)} (${bin.length})`,
  }));
