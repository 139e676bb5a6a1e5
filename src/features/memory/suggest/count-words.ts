import { type Queryable, sql } from '../../../platform/database/database.ts';
import { ALL_WORDS, termKey } from '../text/term-keys.ts';
import { wordsOf } from '../text/words.ts';
import type { WordCounts } from './likeness.ts';

/** Looks up in how many judgments of the tenant the words of texts occur, with one statement. */
export async function countWords(
  db: Queryable,
  tenantId: string,
  texts: string[],
): Promise<WordCounts> {
  const words = [ALL_WORDS, ...new Set(texts.flatMap(wordsOf))];
  const keys = new Map(words.map((word) => [termKey(tenantId, null, word), word]));
  const rows = await db.query<{ term: string; judgments: number }>(sql`
    SELECT term, judgments FROM memory_terms
    WHERE tenant_id = ${tenantId} AND term = ANY(${[...keys.keys()]})`);
  const counts = new Map(rows.map(({ term, judgments }) => [keys.get(term) ?? '', judgments]));
  return {
    all: counts.get(ALL_WORDS) ?? 0,
    judgmentsWith: (word) => (word === ALL_WORDS ? undefined : counts.get(word)),
  };
}
