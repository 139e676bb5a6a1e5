import { type Queryable, sql } from '../../../platform/database/database.ts';
import { rarity } from '../text/similarity.ts';
import { ALL_WORDS, termKey } from '../text/term-keys.ts';
import type { Compared } from './candidates.ts';
import { byLikeness, mostLike } from './find-similar.ts';

/** How many of the most similar judgments of each scope are compared again. */
const MAX_COMPARED = 300;
/** How many of the most similar judgments say what the matter is, and how similar each must be. */
const NEAREST = 12;
const LEAST_SHARE = 0.3;
/**
 * The power of a word's rarity in its weight, since what few judgments say names the matter, and how
 * much it grows when the query is twice as long: the longer texts are, the more they have in common
 * with texts about other matters.
 */
const POWER = 3;
const POWER_PER_DOUBLING = 4;
const SHORT = 12;
/** How much of the similarity is that to the query itself. */
const OF_QUERY = 0.3;

/** In how many judgments the words with these keys occur. */
interface KeyCounts {
  all: number;
  judgmentsWith(key: string): number;
}

/**
 * Compares judgments with what the ones nearest to a query have in common, beside the query itself
 * (relevance feedback, after Rocchio 1971). So a judgment about the same matter is found that was
 * written in other words, and one that merely shares words with the query is not.
 *
 * @param compared the judgments of each scope, the most similar first
 * @param length the number of words of the query
 */
export async function compareWithNearest(
  db: Queryable,
  tenantId: string,
  compared: Compared[][],
  length: number,
): Promise<Compared[][]> {
  const nearest = nearestOf(compared);
  if (nearest.length < 2) return compared;
  const { all, judgmentsWith } = await countKeys(db, tenantId, nearest);
  const power = POWER + POWER_PER_DOUBLING * Math.max(0, Math.log2(length / SHORT));
  return blend(compared, nearest, (key) => rarity(judgmentsWith(key), all) ** power);
}

/** The judgments most similar to the query, in any scope. */
function nearestOf(compared: Compared[][]): Compared[] {
  const best = mostLike(compared.flatMap((ofScope) => ofScope.slice(0, NEAREST))).sort(byLikeness);
  const least = LEAST_SHARE * (best[0]?.similarity ?? 0);
  return best.filter(({ similarity }) => similarity >= least).slice(0, NEAREST);
}

/** Replaces similarities by those to the query and to its nearest judgments together. */
function blend(
  compared: Compared[][],
  nearest: Compared[],
  weightOf: (key: string) => number,
): Compared[][] {
  const weights = new Map<string, number>();
  const shares = new Map<string, number>();
  const all = nearest.reduce((sum, { similarity }) => sum + similarity, 0);
  for (const { terms, similarity } of nearest) {
    for (const key of keysIn(terms)) {
      weights.set(key, weightOf(key));
      shares.set(key, (shares.get(key) ?? 0) + similarity / all);
    }
  }
  const mean = [...weights.values()].reduce((sum, weight) => sum + weight, 0) / weights.size;
  // Up to a factor, this is a cosine. Words of no nearest judgment weigh as much as the mean of theirs.
  const likeNearest = ({ terms }: Compared): number => {
    let [common, whole] = [0, 0];
    for (const key of keysIn(terms)) {
      const weight = weights.get(key) ?? mean;
      whole += weight;
      common += weight * (shares.get(key) ?? 0);
    }
    return common === 0 ? 0 : common / Math.sqrt(whole);
  };
  const first = nearest[0]?.similarity ?? 0;
  const scale = first / Math.max(...nearest.map(likeNearest), Number.EPSILON);
  return compared.map((ofScope) =>
    ofScope
      .slice(0, MAX_COMPARED)
      .map((one) => {
        const similarity = OF_QUERY * one.similarity + (1 - OF_QUERY) * scale * likeNearest(one);
        return { ...one, similarity };
      })
      .sort(byLikeness),
  );
}

const keysIn = (terms: string): string[] => (terms === '' ? [] : terms.split(' '));

async function countKeys(db: Queryable, tenantId: string, nearest: Compared[]): Promise<KeyCounts> {
  const all = termKey(tenantId, null, ALL_WORDS);
  const keys = [...new Set([all, ...nearest.flatMap(({ terms }) => keysIn(terms))])];
  const rows = await db.query<{ term: string; judgments: number }>(sql`
    SELECT term, judgments FROM memory_terms
    WHERE tenant_id = ${tenantId} AND term = ANY(${keys})`);
  const counts = new Map(rows.map(({ term, judgments }) => [term, judgments]));
  return { all: counts.get(all) ?? 0, judgmentsWith: (key) => counts.get(key) ?? 0 };
}
