import type { Finding } from '../harness/benchmark.ts';
import type { Method, SetAnswer } from './ask-set.ts';
import { Random } from './random.ts';
import type { SetQuestion } from './set/make-set.ts';

const METHODS: Method[] = ['ours', 'neighbours', 'majority'];
/** The coverages at which methods that answer more are compared with those that answer less. */
const COVERAGES = [0.49, 0.92];
const BINS = 5;

const share = (part: number, whole: number) => (whole === 0 ? Number.NaN : part / whole);
const shown = (value: number, digits = 2) => (Number.isNaN(value) ? '–' : value.toFixed(digits));

interface Given {
  guess: number;
  right: boolean;
  /** The probability that the guess claims for its decision. */
  confidence: number;
  isRight: boolean;
}

/** What a method answered to questions that have a right answer. */
const givenBy = (method: Method, answers: SetAnswer[]): Given[] =>
  answers.flatMap(({ guesses, right }) => {
    const guess = guesses[method];
    if (guess === undefined || right === undefined) return [];
    const isRight = guess >= 0.5 === right;
    return [{ guess, right, confidence: Math.max(guess, 1 - guess), isRight }];
  });

const accuracyOf = (given: Given[]) =>
  share(given.filter(({ isRight }) => isRight).length, given.length);

function surest(given: Given[], count: number): Given[] {
  return given.toSorted((a, b) => b.confidence - a.confidence).slice(0, count);
}

/** The mean distance of confidence and accuracy, in bins of confidence. */
function calibrationError(given: Given[]): number {
  const bins = Map.groupBy(given, ({ confidence }) =>
    Math.min(BINS - 1, Math.floor((confidence - 0.5) * 2 * BINS)),
  );
  const gaps = [...bins.values()].map((bin) =>
    Math.abs(bin.reduce((sum, one) => sum + one.confidence - Number(one.isRight), 0)),
  );
  return share(
    gaps.reduce((sum, gap) => sum + gap, 0),
    given.length,
  );
}

type Slice = [label: string, holds: (item: SetQuestion) => boolean];
const SLICES: Slice[] = [
  ['long texts', ({ kind }) => kind === 'long'],
  ['paraphrases', ({ kind }) => kind === 'paraphrase'],
  ['decided by one detail', ({ twist }) => twist === undefined],
  ["one organization's own rule", ({ isOwnRule }) => isOwnRule],
  ['after a change', ({ twist }) => twist === 'turned'],
  ['after a change for one kind', ({ twist }) => twist === 'turned for one kind'],
];

const isUnrelated = ({ item }: SetAnswer) => item.topic === 'unrelated';
const isDisputed = ({ item }: SetAnswer) => item.twist === 'conflict';

const RESAMPLES = 1_000;

/** The interval that holds 95 of 100 accuracies of questions drawn again with replacement. */
function bootstrap(given: Given[]): string {
  const random = new Random(1);
  const accuracies = Array.from({ length: RESAMPLES }, () =>
    accuracyOf(given.map(() => random.pick(given))),
  ).sort((a, b) => a - b);
  const at = (part: number) => shown(accuracies[Math.floor(part * RESAMPLES)] ?? Number.NaN);
  return `${at(0.025)}–${at(0.975)}`;
}

/** A line for all questions and for each kind: the accuracy of each method, and its coverage. */
export function scoresOfSet(what: string, answers: SetAnswer[]): Finding[] {
  const judged = answers.filter(({ right }) => right !== undefined);
  const unrelated = answers.filter(isUnrelated);
  const related = answers.filter((answer) => !isUnrelated(answer));
  const slices = SLICES.map(([label, holds]): [string, SetAnswer[]] => [
    label,
    judged.filter(({ item }) => 'kind' in item && holds(item)),
  ]);
  return [
    { label: what, value: `${related.length} questions with a precedent, accuracy at coverage` },
    comparison('all', judged),
    ...COVERAGES.map((coverage) => atCoverage(coverage, judged)),
    ...slices.filter(([, some]) => some.length > 0).map(([label, some]) => comparison(label, some)),
    calibrationOf('  all:', judged),
    ...(unrelated.length > 0 ? [unrelatedAnswered(unrelated), conflictsOf(' ', answers)] : []),
  ];
}

function comparison(label: string, answers: SetAnswer[]): Finding {
  const values = METHODS.flatMap((method) => {
    const given = givenBy(method, answers);
    if (given.length === 0) return [];
    return [
      `${method} ${shown(accuracyOf(given))} (${bootstrap(given)}) at ${shown(share(given.length, answers.length))}`,
    ];
  });
  return { label: `  ${label}`, value: values.join('; ') };
}

function atCoverage(coverage: number, answers: SetAnswer[]): Finding {
  const count = Math.round(coverage * answers.length);
  const values = METHODS.map(
    (method) => `${method} ${shown(accuracyOf(surest(givenBy(method, answers), count)))}`,
  );
  return { label: `  the surest ${coverage}`, value: values.join('; ') };
}

/** Whether confidence says what happened. */
export function calibrationOf(label: string, answers: SetAnswer[]): Finding {
  const values = (['ours', 'neighbours'] as const).map((method) => {
    const given = givenBy(method, answers);
    const brier = share(
      given.reduce((sum, { guess, right }) => sum + (guess - Number(right)) ** 2, 0),
      given.length,
    );
    return `${method} ${shown(calibrationError(given), 3)} (Brier ${shown(brier, 3)})`;
  });
  return { label: `${label} calibration error`, value: values.join('; ') };
}

function unrelatedAnswered(answers: SetAnswer[]): Finding {
  const values = (['ours', 'neighbours'] as const).map((method) => {
    const answered = answers.filter(({ guesses }) => guesses[method] !== undefined).length;
    return `${method} ${shown(share(answered, answers.length), 3)}`;
  });
  return { label: '  unrelated, answered', value: values.join('; ') };
}

/** Of the disputed matters, how many are called so, and how many of those called so are. */
export function conflictsOf(label: string, answers: SetAnswer[]): Finding {
  const disputed = answers.filter(isDisputed);
  const called = answers.filter((answer) => answer.conflict && !isUnrelated(answer));
  const found = disputed.filter(({ conflict }) => conflict).length;
  return {
    label: `${label} conflicts`,
    value: `found ${shown(share(found, disputed.length))}; right ${shown(share(found, called.length))}`,
  };
}
