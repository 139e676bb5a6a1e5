/** The fields of a judgment that detection needs. */
interface Vote {
  stance: 1 | -1 | 0;
  createdMs: number;
  similarity: number;
}

/** The fewest judgments in each part. */
const LEAST_PART = 3;
/**
 * The least gain in log-likelihood from two parts, where a change explains the decisions best and
 * where something else does.
 */
const LEAST_GAIN = 3.5;
const LEAST_UNEXPECTED_GAIN = 6;
/** The majority that each part needs: one clearly for the item, the other clearly against it. */
const CLEAR = 0.6;

/**
 * Returns the time of the first judgment after decisions about similar items reversed, if they did.
 * It cuts the judgments, in the order of time, into the two parts with the highest likelihood, and
 * accepts the cut if it explains the judgments clearly better than one common rate. Judgments of one
 * time are not cut apart.
 *
 * @param isExpected whether a change explains the decisions best, with regard to their texts
 */
export function detectReversal(votes: Vote[], isExpected = true): number | undefined {
  const least = isExpected ? LEAST_GAIN : LEAST_UNEXPECTED_GAIN;
  const ordered = votes.toSorted((a, b) => a.createdMs - b.createdMs || b.stance - a.stance);
  const all = ordered.length;
  const approvals = ordered.filter(({ stance }) => stance === 1).length;
  const undivided = likelihood(approvals, all);
  let before = 0;
  let best: { gain: number; at: number } | undefined;
  ordered.forEach((vote, index) => {
    const after = approvals - before;
    const isLater = vote.createdMs > (ordered[index - 1]?.createdMs ?? vote.createdMs);
    const isLarge = index >= LEAST_PART && all - index >= LEAST_PART;
    const isCut = isLater && isLarge && isOpposite(before, index, after, all);
    const gain = likelihood(before, index) + likelihood(after, all - index) - undivided;
    if (isCut && gain >= least && gain > (best?.gain ?? 0)) {
      best = { gain, at: vote.createdMs };
    }
    if (vote.stance === 1) before += 1;
  });
  return best?.at;
}

function isOpposite(before: number, cut: number, after: number, all: number): boolean {
  const [earlier, later] = [before / cut, after / (all - cut)];
  const [low, high] = [Math.min(earlier, later), Math.max(earlier, later)];
  return high >= CLEAR && low <= 1 - CLEAR;
}

/** The log-likelihood of the approvals at their observed rate. */
function likelihood(approvals: number, all: number): number {
  const term = (part: number) => (part === 0 ? 0 : part * Math.log(part / all));
  return term(approvals) + term(all - approvals);
}

/** How long a reversal counts as recent. People have settled on the new rule after that. */
const RECENT_DAYS = 30;
const DAY_MS = 86_400_000;

export const isRecentReversal = (at: number | undefined, now: number): at is number =>
  at !== undefined && now - at <= RECENT_DAYS * DAY_MS;
