import type { KeyContext } from '../../../api/context.ts';
import type { Queryable } from '../../../platform/database/database.ts';
import type { QueryEmbedding } from '../embeddings/embed-query.ts';
import {
  byLikeness,
  type Compared,
  compareAll,
  mostLike,
  readCompared,
  type SimilarJudgment,
} from '../retrieve/find-similar.ts';
import { queryTerms } from '../retrieve/query-terms.ts';
import { scopesOf } from '../retrieve/scopes.ts';
import { countWords } from './count-words.ts';
import { judge } from './judge.ts';
import { lastOfEachReviewer } from './last-of-each-reviewer.ts';
import { probabilityOf } from './probability.ts';
import type { SuggestDecisionInput, Suggestions } from './schema.ts';
import { suggestFrom } from './suggest-from.ts';

/**
 * The most judgments that count as evidence, and how many of those are the organization's own before
 * any others.
 */
const MAX_EVIDENCE = 70;
const MAX_OWN = 30;
/** How many judgments of each scope are read, since several may be one reviewer's of an item. */
const MAX_FOUND = 100;
/** How similar a judgment must be, beside the most similar one, to count as evidence. */
const LEAST_SHARE = 0.415;
/**
 * Judgments of the same matter are so much more similar than unrelated ones, or so similar at all:
 * there may be hundreds of them.
 */
const LEAST_RISE = 0.3;
const CERTAIN = 0.5;
/** Judgments at these ranks are taken as unrelated; where there are none, as wholly different. */
const UNRELATED = { from: 40, to: 240 };

type Context = Pick<KeyContext, 'clock' | 'tenantId'> & { db: Queryable };

/**
 * Suggests a decision by the judgments of similar items, those of the narrowest scope first of all
 * (4.12). The result is deterministic: the same judgments, query and time give the same suggestion.
 *
 * @param embedding the vector of the query, to find paraphrases as well
 */
export async function suggestDecision(
  ctx: Context,
  { query, ...place }: SuggestDecisionInput,
  embedding?: QueryEmbedding,
): Promise<Suggestions> {
  const { db, tenantId } = ctx;
  const terms = await queryTerms(db, tenantId, query, place.organizationId);
  const scopes = scopesOf(place);
  const compared: Compared[][] = [];
  for (const scope of scopes) {
    compared.push(await compareAll(db, { tenantId, terms, scope, embedding, decided: true }));
  }
  const similar = evidenceAmong(compared);
  if (similar.length === 0) return { primary: null, conflict: null };
  const read = await readCompared(db, tenantId, similar);
  const found = withOwnFirst(lastOfEachReviewer(read), place.organizationId);
  const counts = await countWords(db, tenantId, [query, ...found.map((one) => one.query)]);
  const now = ctx.clock.now();
  const evidence = await judge({ query, ...place, now }, found, counts);
  return suggestFrom({ evidence, probability: probabilityOf(evidence.score), scopes, now });
}

function withOwnFirst(found: SimilarJudgment[], organizationId: string | undefined) {
  const own = found.filter((one) => one.organizationId === organizationId).slice(0, MAX_OWN);
  return [...new Set([...own, ...found])].slice(0, MAX_EVIDENCE);
}

/**
 * Selects the most similar judgments, if at least two are clearly more similar than unrelated ones.
 *
 * @param compared the judgments of each scope, the most similar first
 */
function evidenceAmong(compared: Compared[][]): Compared[] {
  const best = mostLike(compared.flatMap((ofScope) => ofScope.slice(0, MAX_FOUND))).sort(
    byLikeness,
  );
  const widest = compared.at(-1) ?? [];
  const unrelated = widest.slice(UNRELATED.from, UNRELATED.to);
  const usual =
    unrelated.reduce((sum, { similarity }) => sum + similarity, 0) /
    (UNRELATED.to - UNRELATED.from);
  const [first, second] = best;
  const isKnown =
    second && (second.similarity >= CERTAIN || second.similarity - usual >= LEAST_RISE);
  if (!first || !isKnown) return [];
  return best.filter(({ similarity }) => similarity >= LEAST_SHARE * first.similarity);
}
