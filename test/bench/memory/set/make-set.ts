import { Random } from '../random.ts';
import { TEXTS } from '../texts.ts';
import type { Genre, SetTopic } from './topic.ts';
import { FITTED_STYLES, fill, type Length, STYLES, writeItem } from './write-item.ts';

/** The sentences of a set, its judgments in the order of time, and its questions. */
export interface MemorySet {
  judgments: SetJudgment[];
  questions: SetQuestion[];
}

interface Item {
  query: string;
  topic: string;
  /** Whether the topic only judges, and no parameter was fitted on it. */
  isHeldOut: boolean;
  /** What the rules of the topic say; undefined where people disagree. */
  rule: boolean | undefined;
  twist: SetTopic['twist'];
  /** Undefined: a question about all content of the key. */
  organizationId: string | undefined;
  /** Whether the organization's rule contradicts the others'. */
  isOwnRule: boolean;
}

export interface SetJudgment extends Item {
  organizationId: string;
  approved: boolean;
  decision: string;
  reasoning: string;
  reviewer: { userId: string };
  judgeType: 'human' | 'agent';
  createdAt: number;
}

export interface SetQuestion extends Item {
  kind: 'plain' | 'long' | 'paraphrase' | 'unrelated';
}

const DAY_MS = 86_400_000;
/** The time at which the questions are asked. */
export const ASKED_AT = Date.UTC(2026, 9, 1);
const DAYS = 425;
const JUDGMENTS = 26;
const QUESTIONS: Array<SetQuestion['kind']> = [
  'plain',
  'long',
  'paraphrase',
  'plain',
  'long',
  'paraphrase',
  'plain',
  'plain',
];
const ORGANIZATIONS = ['acme', 'globex', 'hooli', 'initech'];
const REVIEWERS = 9;
const BY_AGENTS = 0.15;
const UNRELATED_TIMES = 3;
const LENGTHS: Length[] = ['short', 'short', 'medium', 'medium', 'long'];
const GENRES: Genre[] = TEXTS.genres;

/** A topic with what chance decides about it. */
interface Matter {
  genre: Genre;
  topic: SetTopic;
  isHeldOut: boolean;
  turnedAt: number;
  deviant: string;
  /** For a rule that turned for one kind: the kind. */
  turnedKind: boolean;
}

/** @param slips the share of decisions against the rule */
export function makeSet(seed: number, slips: number): MemorySet {
  const random = new Random(seed);
  const matters = GENRES.flatMap((genre) =>
    genre.topics.map((topic, index): Matter => {
      const day = DAYS * (0.45 + 0.3 * random.next());
      return {
        genre,
        topic,
        // Neighbours in a genre have the same kind of rule, so that both parts of the set have all.
        isHeldOut: index % 2 === 1,
        turnedAt: ASKED_AT - (DAYS - day) * DAY_MS,
        deviant: random.pick(ORGANIZATIONS),
        turnedKind: index % 2 === 1,
      };
    }),
  );
  const judgments = matters.flatMap((matter) =>
    Array.from({ length: JUDGMENTS }, () => judgmentOf(matter, slips, random)),
  );
  const questions = matters.flatMap((matter) =>
    QUESTIONS.map((kind, n) => questionOf(matter, kind, n, random)),
  );
  return {
    judgments: judgments.sort((a, b) => a.createdAt - b.createdAt),
    questions: [...questions, ...unrelatedQuestions(random)],
  };
}

function judgmentOf(matter: Matter, slips: number, random: Random): SetJudgment {
  const { topic, isHeldOut } = matter;
  const createdAt = Math.round(ASKED_AT - DAYS * random.next() * DAY_MS) - DAY_MS;
  const organizationId = random.pick(ORGANIZATIONS);
  const passes = random.chance(0.5);
  const reviewer = random.below(REVIEWERS);
  const rule = ruleOf(matter, { passes, organizationId, at: createdAt });
  const approved = rule === undefined ? reviewer % 2 === 0 : random.chance(slips) !== rule;
  const length = random.pick(LENGTHS);
  return {
    query: writeItem(
      { ...matter, passes, paraphrased: false, length, style: styleFor(isHeldOut, random) },
      random,
    ),
    topic: topic.name,
    isHeldOut,
    rule,
    twist: topic.twist,
    organizationId,
    isOwnRule: topic.twist === 'organization' && organizationId === matter.deviant,
    approved,
    decision: approved ? 'approved' : 'rejected',
    reasoning: approved ? `The ${topic.name} is fine.` : `The ${topic.name} is not acceptable.`,
    reviewer: { userId: `reviewer-${reviewer}` },
    judgeType: random.chance(BY_AGENTS) ? 'agent' : 'human',
    createdAt,
  };
}

const styleFor = (isHeldOut: boolean, random: Random) =>
  random.below(isHeldOut ? STYLES.length : FITTED_STYLES);

/** Whether an item is approved; undefined where it depends on who decides. */
function ruleOf(
  { topic, turnedAt, deviant, turnedKind }: Matter,
  { passes, organizationId, at }: { passes: boolean; organizationId: string; at: number },
): boolean | undefined {
  const usual = topic.rule === 'always' || (topic.rule !== 'never' && passes);
  if (topic.twist === 'conflict') return undefined;
  if (topic.twist === 'organization') return usual !== (organizationId === deviant);
  if (topic.twist === 'turned') return usual !== at >= turnedAt;
  if (topic.twist === 'turned for one kind' && passes === turnedKind)
    return usual !== at >= turnedAt;
  return usual;
}

function questionOf(
  matter: Matter,
  kind: SetQuestion['kind'],
  n: number,
  random: Random,
): SetQuestion {
  const { topic, isHeldOut, deviant } = matter;
  const passes = random.chance(0.5);
  const others = ORGANIZATIONS.filter((one) => one !== deviant);
  const isOwnRule = topic.twist === 'organization' && n % 2 === 0;
  const placed = isOwnRule ? deviant : random.pick(others);
  const isAboutAll = topic.twist !== 'organization' && random.chance(0.25);
  const length = kind === 'long' ? 'long' : random.pick(['short', 'medium'] as const);
  const style = styleFor(isHeldOut, random);
  return {
    query: writeItem(
      { ...matter, passes, paraphrased: kind === 'paraphrase', length, style },
      random,
    ),
    kind,
    topic: topic.name,
    isHeldOut,
    rule: ruleOf(matter, { passes, organizationId: placed, at: ASKED_AT }),
    twist: topic.twist,
    organizationId: isAboutAll ? undefined : placed,
    isOwnRule,
  };
}

/** Subjects that nobody judged, among the sentences that every item of a genre may have. */
const unrelatedQuestions = (random: Random): SetQuestion[] =>
  Array.from({ length: UNRELATED_TIMES }, () => TEXTS.unrelated)
    .flat()
    .map((subject, n) => {
      const { fillers } = random.pick(GENRES);
      const around = Array.from({ length: n % 3 }, () => random.pick(fillers));
      return {
        query: fill([...around, subject].join(' '), undefined, false, random),
        kind: 'unrelated',
        topic: 'unrelated',
        isHeldOut: n % 2 === 1,
        rule: undefined,
        twist: undefined,
        organizationId: random.chance(0.5) ? random.pick(ORGANIZATIONS) : undefined,
        isOwnRule: false,
      };
    });
