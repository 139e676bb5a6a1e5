import { type Queryable, sql } from '../../../platform/database/database.ts';
import { nextChunk } from '../../../platform/event-loop.ts';
import type { QueryEmbedding } from '../embeddings/embed-query.ts';
import { type JudgmentRow, judgmentColumns } from '../judgments/judgment-row.ts';
import type { Stance } from '../judgments/stance.ts';
import { similarity } from '../text/similarity.ts';
import { type Candidate, type CandidateSearch, type Compared, candidatesOf } from './candidates.ts';
import { nearestByVector } from './nearest-vectors.ts';

export interface SimilarJudgment extends JudgmentRow {
  stance: Stance;
  similarity: number;
}

export interface Search extends CandidateSearch {
  /** The vector of the query, to find paraphrases as well. */
  embedding: QueryEmbedding | undefined;
}

/** How many candidates are compared at a time: thousands take tens of milliseconds together. */
const COMPARED_AT_ONCE = 100;

/** Finds the judgments most similar to a query, with two statements, and three with an embedding. */
export async function findSimilar(
  db: Queryable,
  { least, limit, ...search }: Search & { least: number; limit: number },
): Promise<SimilarJudgment[]> {
  const compared = await compareAll(db, search);
  const best = compared.filter((one) => one.similarity >= least).slice(0, limit);
  return readCompared(db, search.tenantId, best);
}

/** Compares the candidates of one scope: the most similar first, and the newer first among equals. */
export async function compareAll(db: Queryable, search: Search): Promise<Compared[]> {
  const { embedding } = search;
  const inWords = await likeInWords(db, search);
  const found = embedding
    ? mostLike([...inWords, ...(await nearestByVector(db, search, embedding))])
    : inWords;
  return found.sort(byLikeness);
}

export const byLikeness = (a: Compared, b: Compared): number =>
  b.similarity - a.similarity || b.createdMs - a.createdMs || (a.recordId < b.recordId ? -1 : 1);

async function likeInWords(db: Queryable, search: Search): Promise<Compared[]> {
  const statement = candidatesOf(search);
  if (!statement) return [];
  const candidates = await db.query<Candidate>(statement);
  const found: Compared[] = [];
  for (const [index, candidate] of candidates.entries()) {
    if (index % COMPARED_AT_ONCE === 0) await nextChunk();
    const alike = similarity(search.terms.profile, candidate.terms.split(' '));
    found.push({ ...candidate, similarity: alike });
  }
  return found;
}

/** Keeps each judgment once, with the higher of its similarities by words and by vectors. */
export function mostLike(found: Compared[]): Compared[] {
  const best = new Map<string, Compared>();
  for (const one of found) {
    const before = best.get(one.recordId);
    if (!before || one.similarity > before.similarity) best.set(one.recordId, one);
  }
  return [...best.values()];
}

/** Looks up each judgment separately, so that PostgreSQL does not read all of the tenant's. */
export async function readCompared(
  db: Queryable,
  tenantId: string,
  compared: Compared[],
): Promise<SimilarJudgment[]> {
  if (compared.length === 0) return [];
  const ids = compared.map(({ recordId }) => recordId);
  const rows = await db.query<JudgmentRow & { stance: Stance }>(sql`
    SELECT ${judgmentColumns}, side AS stance FROM unnest(${ids}::text[]) AS asked(id)
    CROSS JOIN LATERAL (
      SELECT * FROM memory_judgments
      WHERE tenant_id = ${tenantId} AND record_id = asked.id OFFSET 0) AS judgment`);
  const byRecord = new Map(rows.map((row) => [row.recordId, row]));
  return compared.flatMap(({ recordId, similarity }) => {
    const row = byRecord.get(recordId);
    return row ? [{ ...row, similarity }] : [];
  });
}
