import type { Verdict, Weighed } from './judge.ts';

const DAY_MS = 86_400_000;
/** People forget in half a year why they decided. */
const OLD_DAYS = 180;
/** Below this, not even the most similar judgment is about the same thing. */
const WEAK = 0.5;
/** How many reviewers are named on either side. */
const MAX_NAMED = 3;

/** Warnings to consider before following a suggestion: how it was decided, and on what. */
export function caveatsOf(verdict: Verdict, support: Weighed[], now: number): string[] {
  const all = [...verdict.for, ...verdict.against];
  return [
    explanationOf(verdict),
    ageCaveat(all, now),
    new Set(support.map(({ reviewerId }) => reviewerId)).size > 1
      ? undefined
      : 'All supporting judgments are by a single reviewer.',
    Math.max(...support.map(({ similarity }) => similarity)) >= WEAK
      ? undefined
      : 'The judgments found are only loosely similar to this item.',
  ].filter((caveat) => caveat !== undefined);
}

/** The hypothesis that explains the judgments best, unless it is that there is one rule. */
function explanationOf({ isDisputed, regime, for: pro, against }: Verdict): string | undefined {
  if (isDisputed) return `Reviewers disagree: ${namesOf(pro)} approve, ${namesOf(against)} reject.`;
  const { change, isOwn } = regime;
  const since = change === undefined ? undefined : `decided differently since ${dayOf(change)}`;
  if (isOwn) return `This organization has its own rule${since ? `, ${since}` : ''}.`;
  return since && `Such items are ${since}.`;
}

const dayOf = (ms: number): string =>
  new Intl.DateTimeFormat('en-GB', { dateStyle: 'long', timeZone: 'UTC' }).format(ms);

function namesOf(judgments: Weighed[]): string {
  const names = new Map(
    judgments.map((one) => [one.reviewerId, one.reviewerName ?? one.reviewerId ?? 'unnamed ones']),
  );
  const shown = [...names.values()].slice(0, MAX_NAMED);
  const more = names.size - shown.length;
  const listed = more > 0 ? [...shown, `${more} more`] : shown;
  return new Intl.ListFormat('en', { type: 'conjunction' }).format(listed);
}

function ageCaveat(all: Weighed[], now: number): string | undefined {
  const old = all.filter(({ createdMs }) => now - createdMs > OLD_DAYS * DAY_MS);
  if (old.length * 2 <= all.length) return undefined;
  return `Most of the evidence is older than ${OLD_DAYS} days (${old.length} of ${all.length}).`;
}
