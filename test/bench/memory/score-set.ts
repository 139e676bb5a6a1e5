import type { Finding } from '../harness/benchmark.ts';
import type { Method, SetAnswer } from './ask-set.ts';
import { Random } from './random.ts';

const METHODS: Method[] = ['server', 'neighbours', 'majority'];
const BINS = 5;
const RESAMPLES = 1_000;

const share = (part: number, whole: number) => (whole === 0 ? Number.NaN : part / whole);
const shown = (value: number, digits = 2) => (Number.isNaN(value) ? '–' : value.toFixed(digits));

interface Given {
  /** The probability that the guess claims for its decision. */
  confidence: number;
  isRight: boolean;
}

/** The answers of a method to questions that have a right answer. */
const givenBy = (method: Method, answers: SetAnswer[]): Given[] =>
  answers.flatMap(({ item: { rule }, guesses }) => {
    const guess = guesses[method];
    if (guess === undefined || rule === undefined) return [];
    return [{ confidence: Math.max(guess, 1 - guess), isRight: guess >= 0.5 === rule }];
  });

const accuracyOf = (given: Given[]) =>
  share(given.filter(({ isRight }) => isRight).length, given.length);

/** The mean distance of confidence and accuracy, in bins of confidence. */
function calibrationError(given: Given[]): number {
  const bins = Map.groupBy(given, ({ confidence }) =>
    Math.min(BINS - 1, Math.floor((confidence - 0.5) * 2 * BINS)),
  );
  const gaps = [...bins.values()].map((bin) =>
    Math.abs(bin.reduce((sum, one) => sum + one.confidence - Number(one.isRight), 0)),
  );
  const all = gaps.reduce((sum, gap) => sum + gap, 0);
  return share(all, given.length);
}

/** The interval that holds 95 of 100 values of items drawn again with replacement. */
function bootstrap<Item>(items: Item[], figure: (drawn: Item[]) => number): string {
  const random = new Random(1);
  const values = Array.from({ length: RESAMPLES }, () =>
    figure(items.map(() => random.pick(items))),
  ).sort((a, b) => a - b);
  const at = (part: number) => shown(values[Math.floor(part * RESAMPLES)] ?? Number.NaN);
  return `${at(0.025)}–${at(0.975)}`;
}

type Slice = [label: string, holds: (item: SetAnswer['item']) => boolean];
const SLICES: Slice[] = [
  ['all', () => true],
  ['paraphrases', ({ kind }) => kind === 'paraphrase'],
  ['short', ({ kind }) => kind === 'short'],
  ['noisy', ({ kind }) => kind === 'noisy'],
  ['long', ({ kind }) => kind === 'long'],
  ["one organization's own rule", ({ isOwnRule }) => isOwnRule],
  ['after a change', ({ twist }) => twist === 'change'],
];

/** For each kind of question: the accuracy of each method with its interval, and its coverage. */
export function scoresOf(what: string, answers: SetAnswer[]): Finding[] {
  const judged = answers.filter(({ item }) => item.rule !== undefined);
  const unrelated = answers.filter(({ item }) => item.kind === 'unrelated');
  const [plain, filled] = [false, true].map((isFilled) =>
    unrelated.filter(({ item }) => item.isFilled === isFilled),
  );
  return [
    { label: what, value: `${answers.length} questions; accuracy (95 % interval) / coverage` },
    ...SLICES.map(([label, holds]) =>
      comparison(
        label,
        judged.filter(({ item }) => holds(item)),
      ),
    ),
    {
      label: '  calibration error',
      value: byMethod((method) => shown(calibrationError(givenBy(method, judged)), 3)),
    },
    answeredOf('unrelated, answered', plain ?? []),
    answeredOf('same, in usual sentences', filled ?? []),
    conflictsOf(answers),
  ];
}

const byMethod = (figure: (method: Method) => string): string =>
  METHODS.map((method) => `${method} ${figure(method)}`).join('; ');

const comparison = (label: string, answers: SetAnswer[]): Finding => ({
  label: `  ${label}`,
  value: byMethod((method) => {
    const given = givenBy(method, answers);
    const interval = bootstrap(given, accuracyOf);
    const coverage = shown(share(given.length, answers.length));
    return `${shown(accuracyOf(given))} (${interval}) / ${coverage}`;
  }),
});

const answeredOf = (label: string, answers: SetAnswer[]): Finding => ({
  label: `  ${label}`,
  value: byMethod((method) => {
    const answered = (some: SetAnswer[]) =>
      share(some.filter(({ guesses }) => guesses[method] !== undefined).length, some.length);
    return `${shown(answered(answers))} (${bootstrap(answers, answered)})`;
  }),
});

/** Of the disputed matters, how many are called so, and how many of those called so are. */
function conflictsOf(answers: SetAnswer[]): Finding {
  const isDisputed = ({ item }: SetAnswer) => item.twist === 'dispute';
  const disputed = answers.filter(isDisputed);
  const called = answers.filter(({ item, conflict }) => conflict && item.kind !== 'unrelated');
  const found = (some: SetAnswer[]) =>
    share(some.filter(({ conflict }) => conflict).length, some.length);
  const right = (some: SetAnswer[]) => share(some.filter(isDisputed).length, some.length);
  return {
    label: '  conflicts of the server',
    value: `found ${shown(found(disputed))} (${bootstrap(disputed, found)}); right ${shown(right(called))} (${bootstrap(called, right)})`,
  };
}
