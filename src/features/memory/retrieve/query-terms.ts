import { type Queryable, sql } from '../../../platform/database/database.ts';
import type { Frequencies } from '../text/cosine.ts';
import { ALL_TERMS, termKey } from '../text/term-keys.ts';
import { termsOf } from '../text/terms.ts';
import type { Vocabulary } from './plan.ts';

/** A query's terms with their counts in the vocabulary. */
export interface QueryTerms {
  /** The keys in the tenant, with the times that each occurs in the query. */
  terms: Map<string, number>;
  frequencies: Frequencies;
  tenant: Vocabulary;
  /** The counts in the named organization. */
  organization: Vocabulary | undefined;
}

/** Looks up the terms of a query with one statement. */
export async function queryTerms(
  db: Queryable,
  tenantId: string,
  query: string,
  organizationId: string | undefined,
): Promise<QueryTerms> {
  const found = termsOf(query);
  const keysIn = (scope: string | null) =>
    [ALL_TERMS, ...found.keys()].map((term) => termKey(tenantId, scope, term));
  const [ofTenant, ofOrganization] = [
    keysIn(null),
    organizationId === undefined ? undefined : keysIn(organizationId),
  ];
  const counts = await countKeys(db, tenantId, [...ofTenant, ...(ofOrganization ?? [])]);
  const countOf = (key = '') => counts.get(key) ?? 0;
  const vocabularyOf = ([all, ...keys]: string[]): Vocabulary => ({
    all: countOf(all),
    terms: keys.map((key) => ({ key, judgments: countOf(key) })),
  });
  const times = [...found.values()];
  return {
    terms: new Map(ofTenant.slice(1).map((key, n) => [key, times[n] ?? 1])),
    frequencies: { all: countOf(ofTenant[0]), of: countOf },
    tenant: vocabularyOf(ofTenant),
    organization: ofOrganization && vocabularyOf(ofOrganization),
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
