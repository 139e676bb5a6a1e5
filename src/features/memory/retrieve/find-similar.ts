import { type Queryable, sql } from '../../../platform/database/database.ts';
import { nextChunk } from '../../../platform/event-loop.ts';
import { type JudgmentRow, judgmentColumns } from '../judgments/judgment-row.ts';
import type { Stance } from '../judgments/stance.ts';
import {
  cosine,
  type Frequencies,
  powerOf,
  rarityOf,
  type Vector,
  vectorOf,
} from '../text/cosine.ts';
import { type Candidate, readCandidates } from './candidates.ts';
import { countKeys, queryTerms } from './query-terms.ts';
import { organizationOf, type Scope } from './scopes.ts';

export interface SimilarJudgment extends JudgmentRow {
  stance: Stance;
  fingerprint: string;
  similarity: number;
  vector: Vector;
}

/** The judgments of items like one in question, the most similar first. */
export interface Found {
  /** The item in question. */
  vector: Vector;
  /** How much of the item's matter the nearest judgment has. */
  nearness: number;
  judgments: SimilarJudgment[];
}

export interface Search {
  tenantId: string;
  query: string;
  /** The scopes that are searched, all of them. */
  scopes: Scope[];
  /** Only judgments for or against. */
  decided: boolean;
  /** The records of judgments that are taken as unknown. */
  without?: ReadonlySet<string> | undefined;
}

/** Judgments beyond so many are too far away to say anything about an item. */
const BEST = 100;
/** The factor of similarity across organizations: people of one decide more alike. */
export const ACROSS_ORGANIZATIONS = 0.9;

interface Compared extends Candidate {
  vector: Vector;
  similarity: number;
}

/** Finds the judgments most similar to a query, with three statements and one for each scope. */
export async function findSimilar(db: Queryable, search: Search): Promise<Found> {
  const { tenantId, query, scopes, without } = search;
  const organizationId = organizationOf(scopes[0]);
  const asked = await queryTerms(db, tenantId, query, organizationId);
  const { terms, all } = asked;
  const candidates = new Map<string, Candidate>();
  for (const scope of scopes) {
    for (const one of await readCandidates(db, search, asked, scope)) {
      if (!without?.has(one.recordId)) candidates.set(one.recordId, one);
    }
  }
  const counts = new Map(asked.counted.map(({ key, judgments }) => [key, judgments]));
  // The counts of all candidates' terms would be tens of thousands of rows, so that those that the
  // query lacks are taken for as frequent as the query's, until the best are known.
  const usual = usualCount([...counts.values()].filter((count) => count > 0));
  const roughly = { all, of: (key: string) => counts.get(key) ?? usual };
  const nearly = await nearest([...candidates.values()], terms, roughly, organizationId);
  const keys = new Set(nearly.flatMap((one) => [...one.terms.keys()]));
  for (const [key, count] of await countKeys(db, tenantId, [...keys])) counts.set(key, count);
  const frequencies = { all, of: (key: string) => counts.get(key) ?? 0 };
  const best = await nearest(nearly, terms, frequencies, organizationId);
  const rows = await readJudgments(db, tenantId, best);
  return {
    vector: vectorOf(terms, powerOf(terms.size), frequencies),
    nearness: best[0] ? nearnessOf(best[0], terms, frequencies) : 0,
    judgments: best.flatMap(({ recordId, similarity, vector }) => {
      const row = rows.get(recordId);
      return row ? [{ ...row, similarity, vector }] : [];
    }),
  };
}

const usualCount = (counts: number[]): number =>
  counts.reduce((sum, count) => sum + count, 0) / Math.max(1, counts.length);

/** The most similar first, those of the organization before others, and the newer among equals. */
async function nearest(
  candidates: Candidate[],
  terms: ReadonlyMap<string, number>,
  frequencies: Frequencies,
  organizationId: string | undefined,
): Promise<Compared[]> {
  const power = powerOf(terms.size);
  const asked = vectorOf(terms, power, frequencies);
  const compared: Array<Compared & { rank: number }> = [];
  for (const candidate of candidates) {
    await nextChunk();
    const vector = vectorOf(candidate.terms, power, frequencies);
    const similarity = cosine(asked, vector);
    const isNear = organizationId === undefined || candidate.organizationId === organizationId;
    const rank = isNear ? similarity : ACROSS_ORGANIZATIONS * similarity;
    if (similarity > 0) compared.push({ ...candidate, vector, similarity, rank });
  }
  return compared
    .sort(
      (a, b) => b.rank - a.rank || b.createdMs - a.createdMs || (a.recordId < b.recordId ? -1 : 1),
    )
    .slice(0, BEST);
}

/** The cosine alone is great for any two short texts with one common word, even a frequent one. */
function nearnessOf(
  { terms, similarity }: Compared,
  asked: ReadonlyMap<string, number>,
  frequencies: Frequencies,
): number {
  const rarest = rarityOf(0, frequencies.all);
  let shared = 0;
  for (const key of asked.keys()) {
    if (terms.has(key)) shared += rarityOf(frequencies.of(key), frequencies.all) / rarest;
  }
  return Math.sqrt(shared) * similarity;
}

/** Looks up each judgment separately, so that PostgreSQL does not read all of the tenant's. */
async function readJudgments(db: Queryable, tenantId: string, found: Compared[]) {
  type Row = JudgmentRow & Pick<SimilarJudgment, 'stance' | 'fingerprint'>;
  if (found.length === 0) return new Map<string, Row>();
  const rows = await db.query<Row>(sql`
    SELECT ${judgmentColumns}, side AS stance, fingerprint::text AS fingerprint
    FROM unnest(${found.map(({ recordId }) => recordId)}::text[]) AS asked(id)
    CROSS JOIN LATERAL (
      SELECT * FROM memory_judgments
      WHERE tenant_id = ${tenantId} AND record_id = asked.id OFFSET 0) AS judgment`);
  return new Map(rows.map((row) => [row.recordId, row]));
}
