import type { Compared } from '../retrieve/candidates.ts';
import { byLikeness, mostLike, type SimilarJudgment } from '../retrieve/find-similar.ts';

/**
 * The most judgments that count as evidence, and how many of those are the organization's own before
 * any others.
 */
const MAX_EVIDENCE = 70;
const MAX_OWN = 30;
/** How many judgments of each scope are read, since several may be one reviewer's of an item. */
const MAX_FOUND = 100;
/** How similar a judgment must be, beside the most similar one, to count as evidence. */
const LEAST_SHARE = 0.2;
/**
 * Judgments of the same matter are so much more similar than unrelated ones, or so similar at all:
 * there may be hundreds of them.
 */
const LEAST_RISE = 0.33;
const CERTAIN = 0.5;
/** Judgments at these ranks are taken as unrelated; where there are none, as wholly different. */
const UNRELATED = { from: 40, to: 240 };

/**
 * Whether at least two judgments are clearly more similar than unrelated ones.
 *
 * @param compared the judgments of each scope, the most similar first
 */
export function isKnown(compared: Compared[][]): boolean {
  const widest = compared.at(-1) ?? [];
  const unrelated = widest.slice(UNRELATED.from, UNRELATED.to);
  const usual =
    unrelated.reduce((sum, { similarity }) => sum + similarity, 0) /
    (UNRELATED.to - UNRELATED.from);
  const second = mostSimilar(compared)[1]?.similarity ?? 0;
  return second >= CERTAIN || second - usual >= LEAST_RISE;
}

/** Selects the most similar judgments. The parameter is that of `isKnown`. */
export function selectEvidence(compared: Compared[][]): Compared[] {
  const best = mostSimilar(compared);
  const least = LEAST_SHARE * (best[0]?.similarity ?? 0);
  return best.filter(({ similarity }) => similarity >= least);
}

const mostSimilar = (compared: Compared[][]): Compared[] =>
  mostLike(compared.flatMap((ofScope) => ofScope.slice(0, MAX_FOUND))).sort(byLikeness);

/** Limits the evidence, so that others' judgments never crowd out the organization's own. */
export function ownFirst(
  found: SimilarJudgment[],
  organizationId: string | undefined,
): SimilarJudgment[] {
  const own = found.filter((one) => one.organizationId === organizationId).slice(0, MAX_OWN);
  return [...new Set([...own, ...found])].slice(0, MAX_EVIDENCE);
}
