import {
  type Finding,
  type ItemCount,
  MONTH_DAYS,
  MONTHLY_LEVEL,
  type Observed,
  percent,
  rounded,
  severityFor,
  shownP,
  windowOf,
} from './finding.ts';
import { binomialTail, fisherExact } from './statistics.ts';

/** The share of decisions about one item that are expected to be mistakes. */
const MISTAKES = 0.05;
const MIN_MINORITY = 2;
const MIN_OLDER = 8;
const MIN_RECENT = 4;
/**
 * The share of equal decisions that makes a precedent, and the share below which it is abandoned.
 */
const FOLLOWED = 0.8;
const ABANDONED = 0.3;

/** Finds near-identical items that were decided in opposite ways in the last 30 days. */
export function conflictingDecisions({ now, items }: Observed): Finding[] {
  const repeated = items.filter((item) => recentOf(item) >= MIN_RECENT);
  const level = MONTHLY_LEVEL / Math.max(1, repeated.length);
  return repeated.flatMap((item) => {
    const minority = Math.min(item.recentApproved, item.recentRejected);
    if (minority < MIN_MINORITY) return [];
    const p = binomialTail(minority, recentOf(item), MISTAKES);
    return p > level ? [] : [conflict(now, item, minority / recentOf(item), p)];
  });
}

/**
 * Finds items that were nearly always decided one way, but mostly the other way in the last 30
 * days.
 */
export function abandonedPrecedent({ now, items }: Observed): Finding[] {
  const followed = items.filter(
    (item) =>
      recentOf(item) >= MIN_RECENT &&
      olderOf(item) >= MIN_OLDER &&
      Math.max(item.olderApproved, item.olderRejected) >= FOLLOWED * olderOf(item),
  );
  const level = MONTHLY_LEVEL / Math.max(1, followed.length);
  return followed.flatMap((item) => {
    const wasFor = item.olderApproved > item.olderRejected;
    const older = wasFor ? item.olderApproved : item.olderRejected;
    const recent = wasFor ? item.recentApproved : item.recentRejected;
    if (recent > ABANDONED * recentOf(item)) return [];
    const p = fisherExact(recent, recentOf(item), older, olderOf(item));
    return p > level ? [] : [abandoned(now, item, { wasFor, older, recent, p })];
  });
}

const recentOf = (item: ItemCount) => item.recentApproved + item.recentRejected;
const olderOf = (item: ItemCount) => item.olderApproved + item.olderRejected;

const MAX_SHOWN = 120;
const shown = ({ query }: ItemCount): string =>
  query.length <= MAX_SHOWN ? query : `${query.slice(0, MAX_SHOWN - 1).toWellFormed()}…`;

const recentFigures = (item: ItemCount) => ({
  approved: item.recentApproved,
  rejected: item.recentRejected,
  rate: rounded(item.recentApproved / recentOf(item)),
});

function conflict(now: number, item: ItemCount, minorityShare: number, p: number): Finding {
  return {
    alertType: 'conflicting-decisions',
    subject: item.fingerprint,
    severity: severityFor(minorityShare, 0.25, 0.4),
    title: 'Near-identical items are decided in opposite ways',
    description: `"${shown(item)}" was approved ${item.recentApproved} times and rejected ${item.recentRejected} times in the last 30 days.`,
    suggestedAction: 'Decide which of the two holds, and say why in the next judgment.',
    evidence: {
      metric: 'opposite-decisions',
      baseline: { mistakes: MISTAKES },
      current: recentFigures(item),
      window: windowOf(now, MONTH_DAYS),
      pValue: shownP(p),
    },
    sources: { fingerprint: item.fingerprint },
  };
}

function abandoned(
  now: number,
  item: ItemCount,
  { wasFor, older, recent, p }: { wasFor: boolean; older: number; recent: number; p: number },
): Finding {
  const verb = wasFor ? 'approved' : 'rejected';
  const change = older / olderOf(item) - recent / recentOf(item);
  return {
    alertType: 'abandoned-precedent',
    subject: item.fingerprint,
    severity: severityFor(change, 0.7, 0.9),
    title: 'A precedent is not followed any more',
    description: `"${shown(item)}" was ${verb} in ${percent(older / olderOf(item))} of ${olderOf(item)} cases, and in ${recent} of ${recentOf(item)} in the last 30 days.`,
    suggestedAction:
      'If the policy changed, tell those who decide; if not, look at the latest ones.',
    evidence: {
      metric: 'precedent-followed',
      baseline: { decision: verb, times: older, of: olderOf(item) },
      current: { ...recentFigures(item), times: recent, of: recentOf(item) },
      window: windowOf(now, MONTH_DAYS),
      pValue: shownP(p),
    },
    sources: { fingerprint: item.fingerprint },
  };
}
