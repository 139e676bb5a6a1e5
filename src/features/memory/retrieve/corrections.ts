import { type Queryable, sql } from '../../../platform/database/database.ts';
import { asciiOf, canBeMisspelt, isMisspelling, leastSimilarity } from '../text/spellings.ts';
import { stem } from '../text/stem.ts';

/** A word of the vocabulary that an unknown word may be a misspelling of. */
export interface Correction {
  word: string;
  judgments: number;
  instead: string;
}

/** How many unknown words are looked up; a query with more says enough without them. */
const MAX_UNKNOWN = 20;
/** How many of the most similar spellings are compared with each word. */
const MAX_SIMILAR = 100;
const MAX_CORRECTIONS = 40;

interface Found {
  asked: string;
  written: string;
  judgments: number;
}

/**
 * Finds words of the vocabulary whose spelling differs from an unknown word by one letter. Sends no
 * statement when every word is known.
 *
 * @param unknown the stemmed words, each with its spelling in the query
 */
export async function correctionsOf(
  db: Queryable,
  tenantId: string,
  unknown: Array<[word: string, written: string]>,
): Promise<Correction[]> {
  const asked = new Map(
    unknown
      .slice(0, MAX_UNKNOWN)
      .filter(([, written]) => canBeMisspelt(written))
      .map(([word, written]) => [written, word]),
  );
  if (asked.size === 0) return [];
  const similar = await similarSpellings(db, tenantId, [...asked.keys()]);
  const meant = new Map<string, Correction>();
  for (const found of similar.filter((one) => isMisspelling(one.asked, one.written))) {
    const word = stem(found.written);
    const instead = asked.get(found.asked) ?? word;
    if (!meant.has(word)) meant.set(word, { word, judgments: found.judgments, instead });
  }
  return [...meant.values()].slice(0, MAX_CORRECTIONS);
}

/**
 * Finds spellings with similar trigrams, the most used first. The similarity threshold is a setting
 * of the transaction, set for each word before its index lookup. The tenant is compared as an array
 * so that the combined index on tenant and trigrams applies. (With plain text, it would need the
 * extension btree_gin, and read as much.)
 */
function similarSpellings(db: Queryable, tenantId: string, written: string[]): Promise<Found[]> {
  const ascii = written.map(asciiOf);
  const least = written.map((word) => String(leastSimilarity(word)));
  return db.query<Found>(sql`
    SELECT asked.written AS asked, spelling.written, (
      SELECT judgments FROM memory_terms
      WHERE tenant_id = ${tenantId} AND memory_terms.term = spelling.term) AS judgments
    FROM unnest(${written}::text[], ${ascii}::text[], ${least}::text[])
      AS asked(written, ascii, least)
    CROSS JOIN LATERAL (
      SELECT set_config('pg_trgm.similarity_threshold', asked.least, true) AS least
    ) AS made
    CROSS JOIN LATERAL (
      SELECT written, term FROM memory_spellings
      WHERE ARRAY[tenant_id] @> ARRAY[${tenantId}] AND memory_spellings.ascii % asked.ascii
        AND made.least IS NOT NULL
      ORDER BY similarity(memory_spellings.ascii, asked.ascii) DESC, written
      LIMIT ${MAX_SIMILAR}
    ) AS spelling
    ORDER BY judgments DESC, spelling.written, asked.written`);
}
