import { type Queryable, sql } from '../../../platform/database/database.ts';
import { asciiOf, canBeMisspelt, isMisspelling, leastSimilarity } from '../text/spellings.ts';
import { stem } from '../text/stem.ts';

/** A word of the vocabulary that may be meant by one that nobody has used yet. */
export interface Correction {
  word: string;
  judgments: number;
  instead: string;
}

/** Words that the vocabulary is asked for at once; from here on a query says enough without them. */
const MAX_UNKNOWN = 20;
/** How many of the most similar spellings are compared with each. */
const MAX_SIMILAR = 100;
const MAX_CORRECTIONS = 40;

interface Found {
  asked: string;
  written: string;
  judgments: number;
}

/**
 * Words that differ from unknown ones by a letter, as they are written. No statement when every
 * word is known.
 *
 * @param unknown words as they are compared, each with how it is written
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
 * Spellings with like trigrams, those that are used most first. What is like enough is a setting,
 * made for each word before the index is asked, which holds until the end of the statement or of the
 * transaction. That the tenant is asked for as an array has the index answer, and nothing else.
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
