import { type Queryable, sql } from '../../../platform/database/database.ts';
import { type Profile, profileOf } from '../text/similarity.ts';
import { ALL_WORDS, termKey } from '../text/term-keys.ts';
import { wordForms } from '../text/words.ts';
import { correctionsOf } from './corrections.ts';
import type { CountedTerm, Vocabulary } from './plan.ts';

/** A query's words with their counts in the vocabulary. */
export interface QueryTerms {
  /** The query's profile, by the keys of its words in the tenant. */
  profile: Profile;
  tenant: Vocabulary;
  /** The counts in the named organization. */
  organization: Vocabulary | undefined;
}

/** Looks up the words of a query: one statement, and another one for unknown words. */
export async function queryTerms(
  db: Queryable,
  tenantId: string,
  query: string,
  organizationId: string | undefined,
): Promise<QueryTerms> {
  const forms = wordForms(query);
  const words = [...forms.keys()];
  const counts = await countsOf(db, tenantId, words, organizationId);
  const keyIn = (word: string) => termKey(tenantId, null, word);
  const countOf = (word: string) => counts.get(keyIn(word)) ?? 0;
  const unknown = [...forms].filter(([word]) => countOf(word) === 0);
  const corrections = await correctionsOf(db, tenantId, unknown);
  const known = words.map((word) => ({ word, key: keyIn(word), judgments: countOf(word) }));
  const meant = new Map(corrections.map((one) => [keyIn(one.word), keyIn(one.instead)]));
  const vocabularyOf = (organization: string | null): Vocabulary => {
    const keyOf = (word: string) => termKey(tenantId, organization, word);
    const known = words.map((word): CountedTerm => counted(keyOf(word)));
    // The count in the tenant stands for the count in the organization, which cannot be higher.
    const corrected = corrections.map(({ word, judgments }) => ({ key: keyOf(word), judgments }));
    return { all: counts.get(keyOf(ALL_WORDS)) ?? 0, terms: [...known, ...corrected] };
  };
  const counted = (key: string) => ({ key, judgments: counts.get(key) ?? 0 });
  return {
    profile: profileOf(known, countOf(ALL_WORDS), meant),
    tenant: vocabularyOf(null),
    organization: organizationId === undefined ? undefined : vocabularyOf(organizationId),
  };
}

async function countsOf(
  db: Queryable,
  tenantId: string,
  words: string[],
  organizationId: string | undefined,
): Promise<Map<string, number>> {
  const scopes = organizationId === undefined ? [null] : [null, organizationId];
  const keys = scopes.flatMap((organization) =>
    [ALL_WORDS, ...words].map((word) => termKey(tenantId, organization, word)),
  );
  const rows = await db.query<{ term: string; judgments: number }>(sql`
    SELECT term, judgments FROM memory_terms
    WHERE tenant_id = ${tenantId} AND term = ANY(${keys})`);
  return new Map(rows.map(({ term, judgments }) => [term, judgments]));
}
