import {
  DAY_MS,
  type DayCount,
  type ItemCount,
  MIN_REPEATED,
  MONTH_DAYS,
  WEEK_DAYS,
} from '../../../src/features/memory/alerts/detect/count-judgments.ts';
import {
  type Finding as Found,
  runDetectors,
} from '../../../src/features/memory/alerts/detect/detectors.ts';
import { ALERT_TYPES } from '../../../src/features/memory/alerts/schema.ts';
import type { Finding } from '../harness/benchmark.ts';
import { Random } from './random.ts';

/** A judgment of a simulated tenant. */
interface Simulated {
  day: number;
  organizationId: string;
  reviewerId: string;
  item: string;
  approved: boolean;
}

const QUIET_MONTHS = 200;
const DRIFTING_MONTHS = 100;
const SEED = 4_711;
/** The days before the observed month. */
const HISTORY_DAYS = 120;
const MONTH = 30;
const DRIFT = 0.25;
/** At most one quiet month in twenty may have a false alarm. */
const MAX_FALSE = 0.05;

/** A kind of item. Some kinds recur in the same words. */
interface Kind {
  name: string;
  approval: number;
  share: number;
  isRepeated: boolean;
}

/**
 * A realistic tenant: more work on weekdays than at weekends, kinds of items with their own
 * approval rates, reviewers with slightly different strictness, and days with many similar items.
 */
function simulate(random: Random, drift: { from: number; by: number } | undefined): Simulated[] {
  const perDay = 6 + 40 * random.next();
  const organizations = names('organization', 1 + random.below(4));
  const reviewers = names('reviewer', 3 + random.below(8)).map((reviewerId) => ({
    reviewerId,
    leaning: 0.03 * random.normal(),
  }));
  const kinds = names('kind', 8 + random.below(12)).map((name) => kindOf(name, random));
  const judgments: Simulated[] = [];
  for (let day = 0; day < HISTORY_DAYS + MONTH; day++) {
    const isWeekend = day % 7 >= 5;
    const count = random.poisson(perDay * (isWeekend ? 0.3 : 1) * (0.8 + 0.4 * random.next()));
    const bunch = random.pick(kinds);
    for (let n = 0; n < count; n++) {
      const kind = random.chance(0.1) ? bunch : random.pick(kinds);
      const { reviewerId, leaning } = random.pick(reviewers);
      const approval = Math.min(0.97, Math.max(0.03, kind.approval + leaning));
      judgments.push({
        day,
        organizationId: random.pick(organizations),
        reviewerId,
        item: kind.isRepeated && random.chance(0.5) ? kind.name : `${kind.name} ${day} ${n}`,
        approved: random.chance(approval),
      });
    }
  }
  return drift ? drifted(judgments, drift, random) : judgments;
}

/** The change of the approval rate from this day on. */
function drifted(
  judgments: Simulated[],
  { from, by }: { from: number; by: number },
  random: Random,
): Simulated[] {
  const rate = judgments.filter(({ approved }) => approved).length / judgments.length;
  const reversalRate = by > 0 ? by / (1 - rate) : -by / rate;
  return judgments.map((judgment) => {
    const isReversed =
      judgment.day >= from && judgment.approved === by < 0 && random.chance(reversalRate);
    return isReversed ? { ...judgment, approved: by > 0 } : judgment;
  });
}

const names = (kind: string, count: number) =>
  Array.from({ length: count }, (_, n) => `${kind}-${n}`);

/** Recurring items get the same decision, except for mistakes. */
function kindOf(name: string, random: Random): Kind {
  const isRepeated = random.chance(0.3);
  const settled = random.chance(0.7) ? 0.97 : 0.03;
  const open = 0.35 + 0.55 * random.next();
  return { name, approval: isRepeated ? settled : open, share: random.next(), isRepeated };
}

/** The alerts of the month, checked daily, each with the first day on which it was found. */
function alertsOf(judgments: Simulated[]): Array<{ day: number; found: Found }> {
  const reported = new Map<string, { day: number; found: Found }>();
  for (let day = HISTORY_DAYS; day < HISTORY_DAYS + MONTH; day++) {
    for (const found of runDetectors(observed(judgments, day), CONFIG)) {
      const key = `${found.alertType} ${found.subject}`;
      if (!reported.has(key)) reported.set(key, { day, found });
    }
  }
  return [...reported.values()];
}

const CONFIG = {
  enabled: true,
  maxAlertsPerWeek: 3,
  enabledAlertTypes: [...ALERT_TYPES],
  severityThreshold: 'low' as const,
};

/** The counts of the statements in count-judgments.ts at the end of a day. */
function observed(judgments: Simulated[], today: number) {
  const known = judgments.filter(({ day }) => day <= today);
  const days = groups(
    known.filter(({ day }) => today - day < WEEK_DAYS + MONTH_DAYS),
    ({ day, organizationId, reviewerId }) => JSON.stringify([day, organizationId, reviewerId]),
  ).map((group): DayCount => {
    const [{ day, organizationId, reviewerId }] = group;
    const approved = group.filter((one) => one.approved).length;
    const judged = group.length;
    return { daysAgo: today - day, organizationId, reviewerId, approved, decided: judged, judged };
  });
  const items = groups(known, ({ item }) => item).flatMap((group): ItemCount[] => {
    const tally = (isRecent: boolean) => {
      const some = group.filter(({ day }) => today - day < MONTH_DAYS === isRecent);
      return { approved: some.filter(({ approved }) => approved).length, decided: some.length };
    };
    const [fingerprint, recent] = [group[0].item, tally(true)];
    const isRepeated = recent.decided >= MIN_REPEATED;
    return isRepeated ? [{ fingerprint, query: fingerprint, recent, older: tally(false) }] : [];
  });
  return { now: today * DAY_MS, days, items };
}

const groups = <Item>(items: Item[], keyOf: (item: Item) => string) =>
  [...Map.groupBy(items, keyOf).values()] as Array<[Item, ...Item[]]>;

/** The rate of false alarms. */
export function quietMonths(): Finding[] {
  const random = new Random(SEED);
  const alerts = Array.from({ length: QUIET_MONTHS }, () => alertsOf(simulate(random, undefined)));
  const alarmed = alerts.filter((month) => month.length > 0).length;
  const types = Map.groupBy(alerts.flat(), ({ found }) => found.alertType);
  const list = [...types].map(([type, found]) => `${type} ${found.length}`).join(', ');
  return [
    {
      label: 'false alarms',
      value: `${alarmed} of ${QUIET_MONTHS} quiet months (${list || 'none'})`,
      target: `<= ${QUIET_MONTHS * MAX_FALSE}`,
      met: alarmed <= QUIET_MONTHS * MAX_FALSE,
    },
  ];
}

/** The delay until a real change is reported. */
export function driftingMonths(): Finding[] {
  const random = new Random(SEED + 1);
  const days = Array.from({ length: DRIFTING_MONTHS }, () => {
    const drift = { from: HISTORY_DAYS, by: random.chance(0.5) ? DRIFT : -DRIFT };
    const reported = alertsOf(simulate(random, drift));
    return reported.find(({ found }) => found.alertType === 'approval-rate-drift');
  })
    .map((first) => (first ? first.day - HISTORY_DAYS + 1 : Number.POSITIVE_INFINITY))
    .sort((a, b) => a - b);
  const found = days.filter(Number.isFinite);
  const at = (share: number) => days[Math.ceil(share * days.length) - 1] ?? 0;
  const shown = (day: number) => (Number.isFinite(day) ? `${day}` : 'not in the month');
  return [
    {
      label: 'drift of 25 points',
      value: `found in ${found.length} of ${days.length} months; after ${shown(at(0.5))} days in the median, ${shown(at(0.9))} in nine of ten`,
      target: '<= 7 days in the median',
      met: at(0.5) <= 7,
    },
  ];
}
