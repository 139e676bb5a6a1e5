import type { Precedent } from '../retrieve/find-similar.ts';
import { shorten } from '../text/shortened.ts';
import { termsOf } from '../text/terms.ts';
import { countReviewers, sideOf, type Verdict } from './judge.ts';

const DAY_MS = 86_400_000;
/** The age from which evidence is called old. In half a year, people forget why they decided. */
const OLD_DAYS = 180;
/** Judgments below this similarity are hardly about the same thing. */
const WEAK_SIMILARITY = 0.5;
/** The most reviewers that are named on either side. */
const MAX_NAMED = 3;
const MAX_REASONS = 5;
/** The length at which a long reason is cut. */
const MAX_REASON_LENGTH = 500;
/** Reasons that share at least this part of their words are merged. */
const MERGE_OVERLAP = 0.6;

/** Returns an explanation of the judgments, unless one rule explains them, and warnings about weak evidence. */
export function caveatsOf(verdict: Verdict, support: Precedent[], now: number): string[] {
  const all = verdict.support;
  const old = all.filter(({ createdMs }) => now - createdMs > OLD_DAYS * DAY_MS).length;
  return [
    explanationOf(verdict),
    old * 2 > all.length &&
      `Most of the evidence is older than ${OLD_DAYS} days (${old} of ${all.length}).`,
    countReviewers(support) === 1 && 'All supporting judgments are by a single reviewer.',
    support.every(({ similarity }) => similarity < WEAK_SIMILARITY) &&
      'The judgments found are only loosely similar to this item.',
  ].filter((caveat) => typeof caveat === 'string');
}

/** Describes the hypothesis that explains the judgments best; undefined if it is one common rule. */
function explanationOf({ isDisputed, regime, support }: Verdict): string | undefined {
  if (isDisputed) {
    const [pro, against] = [namesOf(sideOf(support, 1)), namesOf(sideOf(support, -1))];
    return `Reviewers disagree: ${pro} approve, ${against} reject.`;
  }
  const { change, isOwnRule } = regime;
  const since = change === undefined ? undefined : `decided differently since ${dayOf(change)}`;
  if (isOwnRule) return `This organization has its own rule${since ? `, and has ${since}` : ''}.`;
  return since && `Such items have been ${since}.`;
}

const dayOf = (ms: number): string =>
  new Intl.DateTimeFormat('en-GB', { dateStyle: 'long', timeZone: 'UTC' }).format(ms);

function namesOf(judgments: Precedent[]): string {
  const names = new Map(
    judgments.map(({ reviewerId, judgment: { reviewer } }) => [
      reviewerId,
      reviewer?.name ?? reviewerId ?? 'unnamed reviewers',
    ]),
  );
  const shown = [...names.values()].slice(0, MAX_NAMED);
  const more = names.size - shown.length;
  const listed = more > 0 ? [...shown, `${more} more`] : shown;
  return new Intl.ListFormat('en', { type: 'conjunction' }).format(listed);
}

/**
 * Returns the most frequent reasons, with near-duplicates merged into the first of them.
 *
 * @param support the most similar first
 */
export function topReasons(support: Precedent[]): string[] {
  const groups: Array<{ text: string; times: number }> = [];
  for (const { judgment } of support) {
    const text = judgment.reasoning?.trim();
    if (!text) continue;
    const group = groups.find((one) => isNearDuplicate(one.text, text));
    if (group) group.times += 1;
    else groups.push({ text, times: 1 });
  }
  // The sort is stable, so that the first of equally frequent reasons stays first.
  return groups
    .sort((a, b) => b.times - a.times)
    .slice(0, MAX_REASONS)
    .map(({ text }) => shorten(text, MAX_REASON_LENGTH));
}

function isNearDuplicate(one: string, other: string): boolean {
  const [a, b] = [termsOf(one), termsOf(other)];
  const common = [...a.keys()].filter((term) => b.has(term)).length;
  return one === other || common >= Math.max(MERGE_OVERLAP * (a.size + b.size - common), 1);
}
