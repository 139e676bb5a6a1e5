import type { MemoryJudgmentsAddInput } from '../../src/api/contract.ts';
import {
  documentCalled,
  documentRefOf,
  MAKER,
  personCalled,
  readData,
  SLOTS,
  STUDIO,
} from './company.ts';
import { DAY_MS, type Demo, inBatches } from './demo.ts';
import { Random } from './random.ts';

/** A kind of question that reviewers decide again and again. `{slots}` are filled in. */
interface JudgedTopic {
  documentName: string;
  items: string[];
  /** Details of an item that is usually approved, and of one that is usually rejected. */
  approved: string[];
  rejected: string[];
  whyApproved: string;
  whyRejected: string;
  reviewers: string[];
}

interface JudgmentData {
  topics: JudgedTopic[];
  /** A question that was decided one way for a year, and the other way in the last month. */
  abandonedPrecedent: {
    documentName: string;
    query: string;
    before: NewJudgment['decision'];
    reasonBefore: string;
    now: NewJudgment['decision'];
    reasonNow: string;
    reviewers: string[];
  };
  /** A question that was decided both ways in the same weeks. */
  conflict: { documentName: string; query: string; reviewers: string[] };
  /** The name of a reviewer who approves far less than the others. */
  strictReviewer: string;
}
const { topics, abandonedPrecedent, conflict, strictReviewer }: JudgmentData =
  readData('judgments');

type NewJudgment = MemoryJudgmentsAddInput['judgments'][number];

/** Fourteen months, of which the last two are busier. */
const DAYS = 425;
const BUSY_DAYS = 60;
const BATCH_SIZE = 1_000;

/** The average number of judgments of a topic on a workday. */
const USUAL_PER_DAY = 0.75;
const BUSY_PER_DAY = 1.5;

/** The share of items that are approved usually, and the share that the studio approved in the last week. */
const USUAL_RATE = 0.75;
const LAST_WEEK_RATE = 0.12;

/**
 * Writes judgments of fourteen months. In these, the alerts find a falling approval rate, a strict reviewer, a
 * precedent that nobody follows any more, and contradictions. The newest judgments are added first: alerts
 * are computed within a minute after the first judgment, and then once a day.
 */
export async function writeJudgments({ client, now }: Demo): Promise<void> {
  const { data } = await client.memory.judgments.query({ organizationId: MAKER, limit: 1 });
  if (data.results.length > 0) return;
  const judgments = makeJudgments(now).sort((a, b) => (b.createdAt ?? 0) - (a.createdAt ?? 0));
  // The alert about the abandoned precedent also needs its old judgments, so all of these come first.
  const isAbandoned = ({ query }: NewJudgment) => query === abandonedPrecedent.query;
  const ordered = [
    ...judgments.filter(isAbandoned),
    ...judgments.filter((judgment) => !isAbandoned(judgment)),
  ];
  for (const batch of inBatches(ordered, BATCH_SIZE)) {
    await client.memory.judgments.add({ judgments: batch });
  }
}

function makeJudgments(now: number): NewJudgment[] {
  const random = new Random(11);
  const workdays = Array.from({ length: DAYS }, (_, daysAgo) => daysAgo).filter((daysAgo) =>
    isWorkday(now - daysAgo * DAY_MS),
  );
  const usual = workdays.flatMap((daysAgo) =>
    topics.flatMap((topic) => judgmentsOfDay(topic, now, daysAgo, random)),
  );
  return [
    ...usual,
    ...strictJudgments(now, random),
    ...abandonedJudgments(now),
    ...contradictions(now),
  ];
}

const isWorkday = (time: number): boolean => ![0, 6].includes(new Date(time).getUTCDay());

function judgmentsOfDay(
  topic: JudgedTopic,
  now: number,
  daysAgo: number,
  random: Random,
): NewJudgment[] {
  const perDay = daysAgo < BUSY_DAYS ? BUSY_PER_DAY : USUAL_PER_DAY;
  const count = Math.floor(perDay) + (random.chance(perDay % 1) ? 1 : 0);
  const isDrifting = topicRef(topic).organizationId === STUDIO && daysAgo < 7;
  return Array.from({ length: count }, () => {
    const createdAt = now - daysAgo * DAY_MS - random.below(8 * 3_600_000);
    const isApproved = random.chance(isDrifting ? LAST_WEEK_RATE : USUAL_RATE);
    const reviewer = random.pick(topic.reviewers);
    return judgmentOf(topic, { createdAt, isApproved, reviewer }, random);
  });
}

interface Decision {
  createdAt: number;
  isApproved: boolean;
  reviewer: string;
}

function judgmentOf(
  topic: JudgedTopic,
  { createdAt, isApproved, reviewer }: Decision,
  random: Random,
): NewJudgment {
  // People make mistakes: one decision in twenty does not fit the details of the item.
  const looksGood = isApproved !== random.chance(0.05);
  const detail = random.pick(looksGood ? topic.approved : topic.rejected);
  return {
    ...topicRef(topic),
    query: random.fill(`${random.pick(topic.items)}: ${detail}`, SLOTS),
    decision: isApproved ? 'approved' : 'rejected',
    reasoning: isApproved ? topic.whyApproved : topic.whyRejected,
    reviewer: reviewerCalled(reviewer),
    judgeType: random.chance(0.06) ? 'agent' : 'human',
    createdAt,
  };
}

const topicRef = ({ documentName }: { documentName: string }) =>
  documentRefOf(documentCalled(documentName));

function reviewerCalled(fullName: string) {
  const { userId, name } = personCalled(fullName);
  return { userId, name };
}

/** The judgments of a reviewer who approves one item in six, while the others approve three out of four. */
function strictJudgments(now: number, random: Random): NewJudgment[] {
  const [topic] = topics.filter(({ reviewers }) => reviewers.includes(strictReviewer));
  if (!topic) return [];
  return Array.from({ length: 42 }, (_, n) => {
    const createdAt = now - (0.2 + n * 0.65) * DAY_MS;
    const isApproved = n % 6 === 0;
    const decided = { createdAt: Math.round(createdAt), isApproved, reviewer: strictReviewer };
    return { ...judgmentOf(topic, decided, random), judgeType: 'human' as const };
  });
}

function abandonedJudgments(now: number): NewJudgment[] {
  const { reviewers, before, reasonBefore, now: after, reasonNow, query } = abandonedPrecedent;
  type Verdict = Pick<NewJudgment, 'decision' | 'reasoning'>;
  const judgment = (n: number, daysAgo: number, verdict: Verdict): NewJudgment => ({
    ...topicRef(abandonedPrecedent),
    ...verdict,
    query,
    reviewer: reviewerCalled(reviewers[n % reviewers.length] ?? ''),
    createdAt: now - daysAgo * DAY_MS,
  });
  const old = { decision: before, reasoning: reasonBefore };
  const recent = { decision: after, reasoning: reasonNow };
  return [
    ...Array.from({ length: 16 }, (_, n) => judgment(n, 50 + n * 18, old)),
    ...Array.from({ length: 8 }, (_, n) => judgment(n, 2 + n * 3, recent)),
  ];
}

function contradictions(now: number): NewJudgment[] {
  const { reviewers, query } = conflict;
  return Array.from({ length: 10 }, (_, n) => ({
    ...topicRef(conflict),
    query,
    decision: n % 2 === 0 ? 'approved' : 'rejected',
    reasoning: n % 2 === 0 ? 'Nurses say patients.' : 'We speak of people: see voice and tone.',
    reviewer: reviewerCalled(reviewers[n % reviewers.length] ?? ''),
    createdAt: now - (1 + n * 2) * DAY_MS,
  }));
}
