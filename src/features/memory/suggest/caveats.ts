import { isRecentReversal } from './detect-reversal.ts';
import type { Evidence, Weighed } from './evidence.ts';

const DAY_MS = 86_400_000;
const OLD_DAYS = 180;
/** When the best similarity is below this, no judgment is about the same thing. */
const WEAK = 0.65;

/** Warnings to consider before following a suggestion. */
export function caveatsOf(
  evidence: Evidence,
  support: Weighed[],
  { approve, now }: { approve: boolean; now: number },
): string[] {
  const all = [...evidence.for, ...evidence.against];
  return [
    evidence.isContested ? splitCaveat(evidence) : undefined,
    evidence.decisive?.approves === approve ? evidence.decisive.sentence : undefined,
    reversalCaveat(evidence, all, now),
    ageCaveat(all, now),
    reviewerCaveat(support),
    weaknessCaveat(support),
  ].filter((caveat) => caveat !== undefined);
}

const splitCaveat = ({ for: pro, against }: Evidence): string =>
  `Evidence is split: ${pro.length} for, ${against.length} against.`;

function reversalCaveat({ reversedAt }: Evidence, all: Weighed[], now: number): string | undefined {
  if (!isRecentReversal(reversedAt, now)) return undefined;
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
