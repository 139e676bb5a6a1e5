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
import { ALL_TERMS, readVector, termKey } from '../text/term-keys.ts';
import { type Candidate, candidatesOf } from './candidates.ts';
import { countKeys, type QueryTerms, queryTerms } from './query-terms.ts';
import type { Scope } from './scopes.ts';

export interface SimilarJudgment extends JudgmentRow {
  stance: Stance;
  fingerprint: string;
  similarity: number;
  /** How much of a rare term it has in common with the query, as a number of terms. */
  shared: number;
  vector: Vector;
}

/** The judgments of items like one in question, the most similar first. */
export interface Found {
  /** The item in question. */
  vector: Vector;
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
/** How many candidates are compared at a time: thousands take tens of milliseconds together. */
const COMPARED_AT_ONCE = 100;

interface Compared {
  candidate: Candidate;
  terms: Map<string, number>;
  similarity: number;
}

/** Finds the judgments most similar to a query, with three statements and one for each scope. */
export async function findSimilar(db: Queryable, search: Search): Promise<Found> {
  const { tenantId, query, scopes } = search;
  const organizationId = scopes.map((scope) =>
    scope.kind === 'apiKey' ? undefined : scope.organizationId,
  )[0];
  const asked = await queryTerms(db, tenantId, query, organizationId);
  const candidates = await readCandidates(db, search, asked);
  const nearly = await compareRoughly(candidates, asked);
  const keys = new Set(nearly.flatMap(({ terms }) => [...terms.keys()]));
  const counts = await countKeys(db, tenantId, [termKey(tenantId, null, ALL_TERMS), ...keys]);
  const frequencies = {
    all: asked.frequencies.all,
    of: (key: string) => counts.get(key) ?? asked.frequencies.of(key),
  };
  const power = powerOf(asked.terms.size);
  const vector = vectorOf(asked.terms, power, frequencies);
  const best: Array<Compared & { vector: Vector }> = [];
  for (const one of nearly) {
    await nextChunk();
    const own = vectorOf(one.terms, power, frequencies);
    best.push({ ...one, vector: own, similarity: cosine(vector, own) });
  }
  best.sort(byNearness(organizationId));
  const shared = (terms: Map<string, number>) => sharedOf(asked.terms, terms, frequencies);
  const read = await readJudgments(
    db,
    tenantId,
    best.map(({ candidate }) => candidate.recordId),
  );
  const judgments = best.flatMap(({ candidate, terms, similarity, vector: own }) => {
    const row = read.get(candidate.recordId);
    return row ? [{ ...row, similarity, vector: own, shared: shared(terms) }] : [];
  });
  return { vector, judgments };
}

async function readCandidates(
  db: Queryable,
  { tenantId, scopes, decided, without }: Search,
  terms: QueryTerms,
): Promise<Candidate[]> {
  const found = new Map<string, Candidate>();
  for (const scope of scopes) {
    const statement = candidatesOf({ tenantId, terms, scope, decided });
    if (!statement) continue;
    for (const one of await db.query<Candidate>(statement)) {
      if (!without?.has(one.recordId)) found.set(one.recordId, one);
    }
  }
  return [...found.values()];
}

/**
 * Selects the best by a cosine in which all terms that the query lacks have the mean weight of its
 * own, since the counts of all candidates' terms would be tens of thousands of rows.
 */
async function compareRoughly(candidates: Candidate[], asked: QueryTerms): Promise<Compared[]> {
  const power = powerOf(asked.terms.size);
  const known = [...asked.terms.keys()].filter((key) => asked.frequencies.of(key) > 0);
  const weights = new Map(known.map((key) => [key, rarityOf(key, asked.frequencies) ** power]));
  const mean = known.reduce((sum, key) => sum + (weights.get(key) ?? 0), 0) / known.length;
  const compared: Compared[] = [];
  for (const [index, candidate] of candidates.entries()) {
    if (index % COMPARED_AT_ONCE === 0) await nextChunk();
    const terms = readVector(candidate.terms);
    let [common, squares] = [0, 0];
    for (const [key, times] of terms) {
      const weight = (1 + Math.log(times)) * (weights.get(key) ?? mean);
      squares += weight ** 2;
      if (weights.has(key)) common += weight * (weights.get(key) ?? 0);
    }
    if (common > 0) compared.push({ candidate, terms, similarity: common / Math.sqrt(squares) });
  }
  return compared.sort(byNearness(undefined)).slice(0, BEST);
}

/** The most similar first, those of the organization before others, and the newer among equals. */
const byNearness = (organizationId: string | undefined) => {
  const nearnessOf = ({ candidate, similarity }: Compared) =>
    organizationId === undefined || candidate.organizationId === organizationId
      ? similarity
      : ACROSS_ORGANIZATIONS * similarity;
  return (a: Compared, b: Compared): number =>
    nearnessOf(b) - nearnessOf(a) ||
    b.candidate.createdMs - a.candidate.createdMs ||
    (a.candidate.recordId < b.candidate.recordId ? -1 : 1);
};

function sharedOf(
  asked: Map<string, number>,
  terms: Map<string, number>,
  frequencies: Frequencies,
): number {
  let sum = 0;
  for (const key of asked.keys()) if (terms.has(key)) sum += rarityOf(key, frequencies);
  return sum / (Math.log(1 + frequencies.all) + 1);
}

/** Looks up each judgment separately, so that PostgreSQL does not read all of the tenant's. */
async function readJudgments(db: Queryable, tenantId: string, recordIds: string[]) {
  type Row = JudgmentRow & Pick<SimilarJudgment, 'stance' | 'fingerprint'>;
  if (recordIds.length === 0) return new Map<string, Row>();
  const rows = await db.query<Row>(sql`
    SELECT ${judgmentColumns}, side AS stance, fingerprint::text AS fingerprint
    FROM unnest(${recordIds}::text[]) AS asked(id)
    CROSS JOIN LATERAL (
      SELECT * FROM memory_judgments
      WHERE tenant_id = ${tenantId} AND record_id = asked.id OFFSET 0) AS judgment`);
  return new Map(rows.map((row) => [row.recordId, row]));
}
