import type { JudgmentRow } from '../judgments/query-judgments.ts';
import type { JudgmentScope } from '../judgments/schema.ts';

/** An item that a decision is asked for. */
export interface Question extends JudgmentScope {
  query: string;
  /** Epoch milliseconds. */
  now: number;
}

/** A hypothesis that divides judgments into parts, which have nothing in common with each other. */
export interface Regime {
  /** When decisions changed, if they did: the time of the first judgment after the change. */
  change: number | undefined;
  /** Whether the organization in question decides by a rule of its own. */
  isOwn: boolean;
  /** Names the part that a judgment, or the question, belongs to. */
  partOf(item: Placed): string;
  /** The logarithm of its prior probability. */
  prior: number;
}

export interface Placed {
  organizationId: string | null | undefined;
  createdMs: number;
}

/**
 * The number of times at which a change is looked for. Twelve locate a change within a year to
 * about a month, and each costs one more prediction.
 */
const MAX_CHANGES = 12;
/** A change leaves at least this many judgments on either side, since one may be a mistake. */
const MIN_PART = 2;
/**
 * The prior probability of a change, and of a rule of the organization's own: nothing speaks for or
 * against them.
 */
const EVEN = 0.5;

/** Returns the hypotheses: first one rule; then a change, a rule of the organization's own, and both. */
export function regimesOf({ organizationId }: Question, found: JudgmentRow[]): Regime[] {
  const isOfOrganization = (item: Placed) => item.organizationId === organizationId;
  const canBeOwn =
    organizationId !== undefined && found.some(isOfOrganization) && !found.every(isOfOrganization);
  const changes = changesOf(found);
  return [undefined, ...changes].flatMap((change) => {
    const probability =
      changes.length === 0 ? 1 : change === undefined ? EVEN : EVEN / changes.length;
    return (canBeOwn ? [false, true] : [false]).map((isOwn) => ({
      change,
      isOwn,
      partOf: (item) =>
        `${change !== undefined && item.createdMs >= change} ${isOwn && isOfOrganization(item)}`,
      prior: Math.log(probability * (canBeOwn ? EVEN : 1)),
    }));
  });
}

/** Times of judgments, evenly spread over those that leave enough on either side. */
function changesOf(found: JudgmentRow[]): number[] {
  const times = found.map(({ createdMs }) => createdMs).sort((a, b) => a - b);
  const possible = times.filter(
    (time, index) =>
      index >= MIN_PART && index <= times.length - MIN_PART && time !== times[index - 1],
  );
  const count = Math.min(MAX_CHANGES, possible.length);
  return Array.from(
    { length: count },
    (_, n) => possible[Math.floor(((n + 0.5) * possible.length) / count)] ?? 0,
  );
}
