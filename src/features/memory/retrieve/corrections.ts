import { type Queryable, sql } from '../../../platform/database/database.ts';
import { spellingKeys } from '../text/term-keys.ts';

/** A word of the vocabulary that may be meant by one that nobody has used yet. */
export interface Correction {
  word: string;
  judgments: number;
  instead: string;
}

/** Words that the vocabulary is asked for at once; from here on a query says enough without them. */
const MAX_UNKNOWN = 20;
const MAX_CORRECTIONS = 40;

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
  const asked = unknown
    .slice(0, MAX_UNKNOWN)
    .map(([word, written]) => ({ word, keys: new Set(spellingKeys(tenantId, written)) }))
    .filter(({ keys }) => keys.size > 0);
  if (asked.length === 0) return [];
  const keys = asked.flatMap((one) => [...one.keys]);
  const rows = await db.query<{ word: string; judgments: number; spellings: string[] }>(sql`
    SELECT word, judgments, spellings FROM memory_terms
    WHERE tenant_id = ${tenantId} AND spellings && ${keys}::bigint[] AND word IS NOT NULL
    ORDER BY judgments DESC, word COLLATE "C" LIMIT ${MAX_CORRECTIONS}`);
  return rows.flatMap(({ word, judgments, spellings }) => {
    const meant = asked.find((one) => spellings.some((key) => one.keys.has(key)));
    return meant ? [{ word, judgments, instead: meant.word }] : [];
  });
}
