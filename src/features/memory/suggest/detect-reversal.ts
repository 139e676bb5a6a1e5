/** The fields of a judgment that detection needs. */
interface Vote {
  stance: 1 | -1 | 0;
  createdMs: number;
  similarity: number;
}

/** The fewest judgments in each part, and the least gain in log-likelihood from two parts. */
const LEAST_PART = 3;
const LEAST_GAIN = 2.5;
/** The majority that each part needs: one clearly for the item, the other clearly against it. */
const CLEAR = 0.6;

/**
 * Returns the time of the first judgment after decisions about similar items reversed, if they did.
 * It cuts the judgments, in the order of time, into the two parts with the highest likelihood, and
 * accepts the cut if it explains the judgments clearly better than one common rate.
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

/** The log-likelihood of the approvals at their observed rate. */
function likelihood(approvals: number, all: number): number {
  const term = (part: number) => (part === 0 ? 0 : part * Math.log(part / all));
  return term(approvals) + term(all - approvals);
}
