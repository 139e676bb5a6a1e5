import { type Queryable, sql } from '../../../platform/database/database.ts';
import { nextChunk } from '../../../platform/event-loop.ts';
import type { QueryEmbedding } from '../embeddings/embed-query.ts';
import { type JudgmentRow, judgmentColumns } from '../judgments/judgment-row.ts';
import type { Stance } from '../judgments/stance.ts';
import { similarity } from '../text/similarity.ts';
import { type Candidate, type CandidateSearch, candidatesOf } from './candidates.ts';
import { nearestByVector } from './nearest-vectors.ts';

export interface SimilarJudgment extends JudgmentRow {
  stance: Stance;
  similarity: number;
}

interface Search extends CandidateSearch {
  /** The vector of the query, to find paraphrases as well. */
  embedding: QueryEmbedding | undefined;
  least: number;
  limit: number;
}

interface Found {
  recordId: string;
  createdMs: number;
  similarity: number;
}

/** How many candidates are compared at a time: thousands take tens of milliseconds together. */
const COMPARED_AT_ONCE = 100;

/**
 * Finds the judgments most similar to a query, the best first, and the newer first among equals. It
 * takes two statements, and one more with an embedding.
 */
export async function findSimilar(db: Queryable, search: Search): Promise<SimilarJudgment[]> {
  const { embedding } = search;
  const inWords = await likeInWords(db, search);
  const found = embedding
    ? mostLike([...inWords, ...(await nearestByVector(db, search, embedding))])
    : inWords;
  const best = found
    .filter(({ similarity }) => similarity >= search.least)
    .sort((a, b) => b.similarity - a.similarity || b.createdMs - a.createdMs || byId(a, b))
    .slice(0, search.limit);
  return wholeOf(db, search.tenantId, best);
}

async function likeInWords(db: Queryable, search: Search): Promise<Found[]> {
  const statement = candidatesOf(search);
  if (!statement) return [];
  const candidates = await db.query<Candidate>(statement);
  const found: Found[] = [];
  for (const [index, { recordId, createdMs, terms }] of candidates.entries()) {
    if (index % COMPARED_AT_ONCE === 0) await nextChunk();
    const alike = similarity(search.terms.profile, terms.split(' '));
    found.push({ recordId, createdMs, similarity: alike });
  }
  return found;
}

/** Keeps each judgment once, with the higher of its similarities by words and by vectors. */
function mostLike(found: Found[]): Found[] {
  const best = new Map<string, Found>();
  for (const one of found) {
    const before = best.get(one.recordId);
    if (!before || before.similarity < one.similarity) best.set(one.recordId, one);
  }
  return [...best.values()];
}

const byId = (a: Found, b: Found) => (a.recordId < b.recordId ? -1 : 1);

/** Looks up each judgment separately, so that PostgreSQL does not read all of the tenant's. */
async function wholeOf(db: Queryable, tenantId: string, best: Found[]): Promise<SimilarJudgment[]> {
  if (best.length === 0) return [];
  const ids = best.map(({ recordId }) => recordId);
  const rows = await db.query<JudgmentRow & { stance: Stance }>(sql`
    SELECT ${judgmentColumns}, side AS stance FROM unnest(${ids}::text[]) AS asked(id)
    CROSS JOIN LATERAL (
      SELECT * FROM memory_judgments
      WHERE tenant_id = ${tenantId} AND record_id = asked.id OFFSET 0) AS judgment`);
  const byRecord = new Map(rows.map((row) => [row.recordId, row]));
  return best.flatMap(({ recordId, similarity }) => {
    const row = byRecord.get(recordId);
    return row ? [{ ...row, similarity }] : [];
  });
}
