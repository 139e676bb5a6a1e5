import { type Queryable, sql } from '../../../platform/database/database.ts';
import { ALL_TERMS, termKey } from '../text/term-keys.ts';
import { termsOf } from '../text/terms.ts';
import type { CountedTerm } from './plan.ts';

/** A query's terms with their counts in the vocabulary. */
export interface QueryTerms {
  /** The keys in the tenant, with the times that each occurs in the query. */
  terms: Map<string, number>;
  /** The number of the tenant's judgments. */
  all: number;
  /** In how many judgments of the tenant, and of the named organization, each term occurs. */
  counted: CountedTerm[];
  countedThere: CountedTerm[];
}

/** Looks up the terms of a query with one statement. */
export async function queryTerms(
  db: Queryable,
  tenantId: string,
  query: string,
  organizationId: string | undefined,
): Promise<QueryTerms> {
  const found = [...termsOf(query)];
  const keysIn = (scope: string | null) => found.map(([term]) => termKey(tenantId, scope, term));
  const keys = keysIn(null);
  const there = organizationId === undefined ? [] : keysIn(organizationId);
  const allKey = termKey(tenantId, null, ALL_TERMS);
  const counts = await countKeys(db, tenantId, [allKey, ...keys, ...there]);
  const counted = (key: string): CountedTerm => ({ key, judgments: counts.get(key) ?? 0 });
  return {
    terms: new Map(keys.map((key, n) => [key, found[n]?.[1] ?? 1])),
    all: counts.get(allKey) ?? 0,
    counted: keys.map(counted),
    countedThere: there.map(counted),
  };
}

/** In how many judgments of the tenant the terms with these keys occur. */
export async function countKeys(
  db: Queryable,
  tenantId: string,
  keys: string[],
): Promise<Map<string, number>> {
  const rows = await db.query<{ term: string; judgments: number }>(sql`
    SELECT term, judgments FROM memory_terms
    WHERE tenant_id = ${tenantId} AND term = ANY(${keys})`);
  return new Map(rows.map(({ term, judgments }) => [term, judgments]));
}
