import type { LabelledTexts } from './labelled-texts.ts';
import { Random } from './random.ts';

/** How decisions about the items of a label come about. */
type Twist = 'rule' | 'own rule' | 'change' | 'dispute';
type Kind = 'paraphrase' | 'short' | 'noisy' | 'long' | 'unrelated';

/** The judgments of an invented tenant in the order of time, and questions with the right answers. */
export interface MemorySet {
  judgments: SetJudgment[];
  questions: SetQuestion[];
}

export interface SetJudgment {
  query: string;
  organizationId: string;
  approved: boolean;
  decision: string;
  reasoning: string;
  reviewer: { userId: string };
  judgeType: 'human' | 'agent';
  createdAt: number;
}

export interface SetQuestion {
  query: string;
  kind: Kind;
  twist: Twist | undefined;
  /** Undefined: a question about all content of the key. */
  organizationId: string | undefined;
  /** Whether the organization decides unlike all others. */
  isOwnRule: boolean;
  /** Whether an unrelated question stands among the tenant's usual sentences. */
  isFilled: boolean;
  /** The right answer; undefined where there is none. */
  rule: boolean | undefined;
}

const DAY_MS = 86_400_000;
/** The time at which the questions are asked. */
export const ASKED_AT = Date.UTC(2026, 9, 1);
const DAYS = 365;
const TOPICS: Array<[twist: Twist, count: number]> = [
  ['rule', 10],
  ['own rule', 5],
  ['change', 5],
  ['dispute', 4],
];
const JUDGMENTS = 40;
const KINDS: Array<[kind: Kind, count: number]> = [
  ['paraphrase', 4],
  ['short', 3],
  ['noisy', 3],
  ['long', 3],
];
const UNRELATED = 160;
/** Sentences that surround others, of as many labels: what any text of the tenant may say. */
const FILLERS = 8;
const ORGANIZATIONS = ['acme', 'globex', 'hooli', 'initech'];
const REVIEWERS = 8;
/** The share of decisions against the rule, of long and of misspelt judgments, and of agents. */
const SLIPS = 0.06;
const LONG = 0.15;
const NOISY = 0.1;
const BY_AGENTS = 0.1;

interface Topic {
  twist: Twist;
  usual: boolean;
  /** The organization with its own rule. */
  deviant: string;
  changedAt: number;
  /** Texts that were judged, and texts of questions. */
  judged: string[];
  asked: string[];
}

/** Draws labels, their rules and their texts; the same seed gives the same set. */
export function makeSet(texts: LabelledTexts, unrelated: LabelledTexts, seed: number): MemorySet {
  const random = new Random(seed);
  const labels = shuffled([...texts.values()], random).filter(({ length }) => length >= 40);
  const fillers = random.some(labels.splice(0, FILLERS).flat(), FILLERS);
  const twists = TOPICS.flatMap(([twist, count]) => Array.from({ length: count }, () => twist));
  const topics = labels.splice(0, twists.length).map((all, index): Topic => {
    const mixed = shuffled(all, random);
    return {
      twist: twists[index] ?? 'rule',
      usual: random.chance(0.5),
      deviant: random.pick(ORGANIZATIONS),
      changedAt: ASKED_AT - DAYS * (0.2 + 0.3 * random.next()) * DAY_MS,
      judged: mixed.slice(0, mixed.length / 2),
      asked: mixed.slice(mixed.length / 2),
    };
  });
  const judgments = topics.flatMap((topic) =>
    Array.from({ length: JUDGMENTS }, () => judgmentOf(topic, fillers, random)),
  );
  const questions = topics.flatMap((topic) =>
    KINDS.flatMap(([kind, count]) =>
      Array.from({ length: count }, (_, n) => questionOf(topic, kind, n, fillers, random)),
    ),
  );
  const strangers = Array.from({ length: UNRELATED }, (_, n): SetQuestion => {
    const text = random.pick([...unrelated.values()].flat());
    return {
      query: n % 2 === 0 ? text : surrounded([text], fillers, random),
      kind: 'unrelated',
      twist: undefined,
      organizationId: n % 4 < 2 ? random.pick(ORGANIZATIONS) : undefined,
      isOwnRule: false,
      isFilled: n % 2 === 1,
      rule: undefined,
    };
  });
  return {
    judgments: judgments.sort((a, b) => a.createdAt - b.createdAt),
    questions: [...questions, ...strangers],
  };
}

function judgmentOf(topic: Topic, fillers: string[], random: Random): SetJudgment {
  const createdAt = Math.round(ASKED_AT - DAY_MS - DAYS * random.next() * DAY_MS);
  const organizationId = random.pick(ORGANIZATIONS);
  const isDisputed = topic.twist === 'dispute';
  const reviewer = random.below(isDisputed ? 4 : REVIEWERS);
  const rule = isDisputed ? reviewer < 2 : ruleOf(topic, organizationId, createdAt);
  const approved = random.chance(SLIPS) !== rule;
  const text = random.pick(topic.judged);
  const chance = random.next();
  return {
    query:
      chance < LONG
        ? surrounded([text, random.pick(topic.judged)], fillers, random)
        : chance < LONG + NOISY
          ? misspelt(text, random)
          : text,
    organizationId,
    approved,
    decision: approved ? 'approved' : 'rejected',
    reasoning: approved ? 'It is fine.' : 'It is not acceptable.',
    reviewer: { userId: `reviewer-${reviewer}` },
    judgeType: random.chance(BY_AGENTS) ? 'agent' : 'human',
    createdAt,
  };
}

function ruleOf({ twist, usual, deviant, changedAt }: Topic, organization: string, at: number) {
  if (twist === 'own rule') return usual !== (organization === deviant);
  return twist === 'change' ? usual !== at >= changedAt : usual;
}

function questionOf(
  topic: Topic,
  kind: Kind,
  n: number,
  fillers: string[],
  random: Random,
): SetQuestion {
  const { twist, deviant, asked } = topic;
  const isOwnRule = twist === 'own rule' && n % 2 === 0;
  const others = ORGANIZATIONS.filter((one) => one !== deviant);
  const organizationId = isOwnRule ? deviant : random.pick(others);
  const text = random.pick(asked);
  const short = asked.toSorted((a, b) => a.length - b.length).slice(0, asked.length / 4);
  return {
    query: {
      paraphrase: () => text,
      short: () => random.pick(short),
      noisy: () => misspelt(misspelt(text, random), random),
      long: () => surrounded([text, random.pick(asked)], fillers, random),
      unrelated: () => text,
    }[kind](),
    kind,
    twist,
    organizationId: twist !== 'own rule' && random.chance(0.25) ? undefined : organizationId,
    isOwnRule,
    isFilled: kind === 'long',
    rule: twist === 'dispute' ? undefined : ruleOf(topic, organizationId, ASKED_AT),
  };
}

function shuffled<Item>(items: readonly Item[], random: Random): Item[] {
  const keyed = items.map((item) => ({ item, key: random.next() }));
  return keyed.sort((a, b) => a.key - b.key).map(({ item }) => item);
}

/** Puts a text among sentences that any text of the tenant may have. */
function surrounded(texts: string[], fillers: string[], random: Random): string {
  const around = Array.from({ length: 3 + random.below(5) }, () => random.pick(fillers));
  return shuffled([...texts, ...around], random).join('. ');
}

/** Swaps, drops or doubles a letter of a long word. */
function misspelt(text: string, random: Random): string {
  const words = text.split(' ');
  const long = words.flatMap((word, index) => (/^[a-z]{4,}$/.test(word) ? [index] : []));
  if (long.length === 0) return text;
  const index = random.pick(long);
  const word = words[index] ?? '';
  const at = 1 + random.below(word.length - 2);
  const slip = random.pick(['$2$1', '$2', '$1$1$2']);
  words[index] = word.slice(0, at) + word.slice(at).replace(/^(.)(.)/, slip);
  return words.join(' ');
}
