/** What is looked at of a judgment. */
interface Vote {
  stance: 1 | -1 | 0;
  createdMs: number;
  similarity: number;
}

/** How many judgments each part needs, and how much better two parts must explain them than one. */
const LEAST_PART = 3;
const LEAST_GAIN = 2.5;
/** The rates of the parts: one must be clearly for, the other clearly against. */
const CLEAR = 0.6;

/**
 * When the decisions about like items turned into their opposite: the time of the first judgment
 * after the turn. Of all the ways to cut the judgments, in the order of time, into two parts, the
 * one that explains them best (by its likelihood), if it does so much better than no cut at all.
 */
export function detectReversal(votes: Vote[]): number | undefined {
  const ordered = votes.toSorted((a, b) => a.createdMs - b.createdMs || b.stance - a.stance);
  const all = ordered.length;
  const approvals = ordered.filter(({ stance }) => stance === 1).length;
  const undivided = likelihood(approvals, all);
  let before = 0;
  let best: { gain: number; at: number } | undefined;
  ordered.forEach((vote, index) => {
    const after = approvals - before;
    const isCut =
      index >= LEAST_PART && all - index >= LEAST_PART && isOpposite(before, index, after, all);
    const gain = likelihood(before, index) + likelihood(after, all - index) - undivided;
    if (isCut && gain >= LEAST_GAIN && gain > (best?.gain ?? 0)) {
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

/** Logarithm of the likelihood of so many approvals at their own rate. */
function likelihood(approvals: number, all: number): number {
  const term = (part: number) => (part === 0 ? 0 : part * Math.log(part / all));
  return term(approvals) + term(all - approvals);
}
