import type { MemoryJudgmentsAddInput } from '../../api/contract.ts';
import { DAY_MS, type Demo, inBatches } from './demo.ts';
import {
  ABANDONED_PRECEDENT,
  CONFLICT,
  JUDGED_TOPICS,
  type JudgedTopic,
  STRICT_REVIEWER,
} from './judged-topics.ts';
import { MAKER, personCalled, STUDIO } from './people.ts';
import { documentCalled } from './places.ts';
import { Random } from './random.ts';
import { SLOTS } from './texts.ts';

type NewJudgment = MemoryJudgmentsAddInput['judgments'][number];

/** Fourteen months, of which the last two are busier. */
const DAYS = 425;
const BUSY_DAYS = 60;
const BATCH = 1_000;

/** The judgments of a topic on a workday. */
const USUAL_COUNT = 0.75;
const BUSY_COUNT = 1.5;

/** The usual share of items that are approved, and that of the studio in the last week. */
const USUAL = 0.75;
const LAST_WEEK = 0.12;

/**
 * Judgments of fourteen months, in which the alerts find a rate that fell, a strict reviewer, a
 * precedent that nobody follows any more, and contradictions. The newest are added first: alerts are
 * computed within a minute of the first judgment, and then once a day.
 */
export async function writeJudgments({ client, now }: Demo): Promise<void> {
  const { data } = await client.memory.judgments.query({ organizationId: MAKER, limit: 1 });
  if (data.results.length > 0) return;
  const judgments = makeJudgments(now).sort((a, b) => (b.createdAt ?? 0) - (a.createdAt ?? 0));
  // The alerts about single items look at older judgments of the same words, too.
  const repeated = (one: NewJudgment) => one.query === ABANDONED_PRECEDENT.query;
  const ordered = [...judgments.filter(repeated), ...judgments.filter((one) => !repeated(one))];
  for (const batch of inBatches(ordered, BATCH)) {
    await client.memory.judgments.add({ judgments: batch });
  }
}

function makeJudgments(now: number): NewJudgment[] {
  const random = new Random(11);
  const workdays = Array.from({ length: DAYS }, (_, daysAgo) => daysAgo).filter((daysAgo) =>
    isWorkday(now - daysAgo * DAY_MS),
  );
  const usual = workdays.flatMap((daysAgo) =>
    JUDGED_TOPICS.flatMap((topic) => ofDay(topic, now, daysAgo, random)),
  );
  return [...usual, ...strictOnes(now, random), ...abandonedOnes(now), ...contradictions(now)];
}

const isWorkday = (time: number): boolean => ![0, 6].includes(new Date(time).getUTCDay());

function ofDay(topic: JudgedTopic, now: number, daysAgo: number, random: Random): NewJudgment[] {
  const usualCount = daysAgo < BUSY_DAYS ? BUSY_COUNT : USUAL_COUNT;
  const count = Math.floor(usualCount) + (random.chance(usualCount % 1) ? 1 : 0);
  const isDrifting = topic.organizationId === STUDIO && daysAgo < 7;
  return Array.from({ length: count }, () => {
    const createdAt = now - daysAgo * DAY_MS - random.below(8 * 3_600_000);
    const isApproved = random.chance(isDrifting ? LAST_WEEK : USUAL);
    const reviewer = random.pick(topic.reviewers);
    return judgmentOf(topic, { createdAt, isApproved, reviewer }, random);
  });
}

interface Decided {
  createdAt: number;
  isApproved: boolean;
  reviewer: string;
}

function judgmentOf(
  topic: JudgedTopic,
  { createdAt, isApproved, reviewer }: Decided,
  random: Random,
): NewJudgment {
  // People err: one decision in twenty is against what the item says.
  const looksGood = isApproved !== random.chance(0.05);
  const detail = random.pick(looksGood ? topic.approved : topic.rejected);
  return {
    ...placed(topic),
    query: random.fill(`${random.pick(topic.items)}: ${detail}`, SLOTS),
    decision: isApproved ? 'approved' : 'rejected',
    reasoning: isApproved ? topic.whyApproved : topic.whyRejected,
    reviewer: reviewerCalled(reviewer),
    judgeType: random.chance(0.06) ? 'agent' : 'human',
    createdAt,
  };
}

const placed = ({
  organizationId,
  documentName,
}: {
  organizationId: string;
  documentName: string;
}) => ({
  organizationId,
  documentId: documentCalled(documentName).documentId,
});

function reviewerCalled(fullName: string) {
  const { userId, name } = personCalled(fullName);
  return { userId, name };
}

/** One reviewer approves one item in six, where the others approve three of four. */
function strictOnes(now: number, random: Random): NewJudgment[] {
  const [topic] = JUDGED_TOPICS.filter(({ reviewers }) => reviewers.includes(STRICT_REVIEWER));
  if (!topic) return [];
  return Array.from({ length: 42 }, (_, n) => {
    const createdAt = now - (0.2 + n * 0.65) * DAY_MS;
    const isApproved = n % 6 === 0;
    const decided = { createdAt: Math.round(createdAt), isApproved, reviewer: STRICT_REVIEWER };
    return { ...judgmentOf(topic, decided, random), judgeType: 'human' as const };
  });
}

function abandonedOnes(now: number): NewJudgment[] {
  const { reviewers, before, reasonBefore, now: after, reasonNow, query } = ABANDONED_PRECEDENT;
  const at = (daysAgo: number, n: number, isNew: boolean): NewJudgment => ({
    ...placed(ABANDONED_PRECEDENT),
    query,
    decision: isNew ? after : before,
    reasoning: isNew ? reasonNow : reasonBefore,
    reviewer: reviewerCalled(reviewers[n % reviewers.length] ?? ''),
    createdAt: now - daysAgo * DAY_MS,
  });
  return [
    ...Array.from({ length: 16 }, (_, n) => at(50 + n * 18, n, false)),
    ...Array.from({ length: 8 }, (_, n) => at(2 + n * 3, n, true)),
  ];
}

function contradictions(now: number): NewJudgment[] {
  const { reviewers, query } = CONFLICT;
  return Array.from({ length: 10 }, (_, n) => ({
    ...placed(CONFLICT),
    query,
    decision: n % 2 === 0 ? 'approved' : 'rejected',
    reasoning: n % 2 === 0 ? 'Nurses say patients.' : 'We speak of people: see voice and tone.',
    reviewer: reviewerCalled(reviewers[n % reviewers.length] ?? ''),
    createdAt: now - (1 + n * 2) * DAY_MS,
  }));
}
