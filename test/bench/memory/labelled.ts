import { HANDWRITTEN } from './handwritten.ts';
import { Random } from './random.ts';
import { TOPICS, type Topic } from './topics.ts';

/** A judgment whose decision is known. */
export interface Labelled {
  query: string;
  decision: string;
  approved: boolean;
  reasoning: string;
  organizationId: string;
  reviewer: { userId: string };
  judgeType: 'human' | 'agent';
  createdAt: number;
  topic: string;
}

const DAY_MS = 86_400_000;
/** The time at which the memory is asked. */
export const NOW = Date.UTC(2026, 9, 1);
const DAYS = 360;
const EACH = 20;

const ORGANIZATIONS = ['acme', 'globex'];
const FOR = ['approved', 'agree', 'endorse', 'document_approved'];
const AGAINST = ['rejected', 'disagree', 'document_rejected'];
const PEOPLE = 'Ada Grace Alan Edsger Barbara Niklaus Margaret Donald Radia Tim'.split(' ');
const COMPANIES = 'Initech Umbrella Hooli Vandelay Acerola Northwind Contoso Tyrell'.split(' ');
const CITIES = 'Lisbon Graz Osaka Nairobi Lima Tampere Porto Boston'.split(' ');
const OPENINGS = ['Please check: ', 'Urgent! ', 'As discussed, ', 'Question from sales: ', 'FYI '];
const ENDINGS = [
  ' by Friday',
  ' (see attachment)',
  ', as last time',
  ' - what do you think?',
  ' asap',
];

/** The rate of decisions against their topic: people err, and agents more often. */
const NOISE = { human: 0.05, agent: 0.15 };
const BY_AGENTS = 0.2;
const TYPOS = 0.15;

/** Judgments over all topics in the order of time, the same for the same seed. */
function labelled(seed: number, topics: readonly Topic[] = TOPICS): Labelled[] {
  const random = new Random(seed);
  const made = topics.flatMap((topic) => {
    const reversalDay = DAYS * (0.35 + 0.3 * random.next());
    return Array.from({ length: EACH }, () => judgmentOf(topic, reversalDay, random));
  });
  return inOrder(made);
}

/** The generated judgments with the handwritten ones. */
export const wholeSet = (seed: number): Labelled[] =>
  inOrder([...labelled(seed), ...HANDWRITTEN.map(handWritten)]);

const inOrder = (judgments: Labelled[]) => judgments.toSorted((a, b) => a.createdAt - b.createdAt);

function judgmentOf(topic: Topic, reversalDay: number, random: Random): Labelled {
  const day = DAYS * random.next();
  const organizationId = random.pick(ORGANIZATIONS);
  const judgeType = random.chance(BY_AGENTS) ? 'agent' : 'human';
  const rule = ruleOf(topic, { isLater: day > reversalDay, organizationId });
  const approved = random.chance(rule ? 1 - NOISE[judgeType] : NOISE[judgeType]);
  const isOpen = topic.stance === 'split';
  const isFor = isOpen ? random.chance(0.5) : approved;
  return {
    query: wordingOf(topic, random),
    decision: random.pick(isFor ? FOR : AGAINST),
    approved: isFor,
    reasoning: random.pick(topic.reasons[isFor ? 0 : 1]),
    organizationId,
    reviewer: { userId: `reviewer-${random.below(8)}` },
    judgeType,
    createdAt: NOW - Math.round((DAYS - day) * DAY_MS),
    topic: topic.name,
  };
}

function ruleOf(
  { stance }: Topic,
  { isLater, organizationId }: { isLater: boolean; organizationId: string },
): boolean {
  if (stance === 'turned-for') return isLater;
  if (stance === 'turned-against') return !isLater;
  if (stance === 'by-organization') return organizationId === ORGANIZATIONS[0];
  return stance === 'for';
}

function wordingOf({ wordings }: Topic, random: Random): string {
  const filled = random
    .pick(wordings)
    .replace('{company}', random.pick(COMPANIES))
    .replace('{person}', random.pick(PEOPLE))
    .replace('{city}', random.pick(CITIES))
    .replace('{number}', String(5 + random.below(90)));
  const opened = random.chance(0.25) ? random.pick(OPENINGS) + filled : filled;
  const whole = random.chance(0.25) ? opened + random.pick(ENDINGS) : opened;
  return random.chance(TYPOS) ? misspelt(whole, random) : whole;
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

function handWritten([
  daysAgo,
  organizationId,
  verdict,
  query,
]: (typeof HANDWRITTEN)[number]): Labelled {
  const approved = verdict === 'yes';
  return {
    query,
    decision: approved ? 'approved' : 'rejected',
    approved,
    reasoning: approved ? 'Fits our rules.' : 'Does not fit our rules.',
    organizationId,
    reviewer: { userId: `reviewer-${daysAgo % 8}` },
    judgeType: 'human',
    createdAt: NOW - daysAgo * DAY_MS,
    topic: 'by hand',
  };
}
