import type { Evidence, Weighed } from './weigh.ts';

const DAY_MS = 86_400_000;
const OLD_DAYS = 180;
/** How long a reversal counts as recent. */
const RECENT_REVERSAL_DAYS = 90;
/** The minority's share of the weight from which on the evidence counts as split. */
const SPLIT = 0.25;
/** When the best similarity is below this, no judgment is about the same thing. */
const WEAK = 0.55;

/** Warnings to consider before following a suggestion. */
export function caveatsOf(evidence: Evidence, support: Weighed[], now: number): string[] {
  const all = [...evidence.for, ...evidence.against];
  return [
    splitCaveat(evidence),
    reversalCaveat(evidence, all, now),
    ageCaveat(all, now),
    reviewerCaveat(support),
    weaknessCaveat(support),
  ].filter((caveat) => caveat !== undefined);
}

function splitCaveat({ for: pro, against, share }: Evidence): string | undefined {
  const isSplit = Math.min(pro.length, against.length) > 0 && Math.min(share, 1 - share) >= SPLIT;
  if (!isSplit) return undefined;
  return `Evidence is split: ${pro.length} for, ${against.length} against.`;
}

function reversalCaveat({ reversedAt }: Evidence, all: Weighed[], now: number): string | undefined {
  if (reversedAt === undefined || now - reversedAt > RECENT_REVERSAL_DAYS * DAY_MS)
    return undefined;
  const later = all.filter(({ createdMs }) => createdMs >= reversedAt);
  const days = Math.max(0, Math.round((now - reversedAt) / DAY_MS));
  return `Decisions changed direction ${days} days ago: the ${later.length} since then count most.`;
}

function ageCaveat(all: Weighed[], now: number): string | undefined {
  const old = all.filter(({ createdMs }) => now - createdMs > OLD_DAYS * DAY_MS);
  if (old.length * 2 <= all.length) return undefined;
  return `Most of the evidence is older than ${OLD_DAYS} days (${old.length} of ${all.length}).`;
}

function reviewerCaveat(support: Weighed[]): string | undefined {
  const reviewers = new Set(support.map(({ reviewerId }) => reviewerId));
  return reviewers.size > 1 ? undefined : 'All supporting judgments are by a single reviewer.';
}

function weaknessCaveat(support: Weighed[]): string | undefined {
  const best = Math.max(...support.map(({ similarity }) => similarity));
  return best >= WEAK ? undefined : 'The judgments found are only loosely similar to this item.';
}
