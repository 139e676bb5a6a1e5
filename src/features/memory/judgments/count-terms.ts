import { sql, type Transaction } from '../../../platform/database/database.ts';
import { ALL_WORDS, spellingKeys, termKey } from '../text/term-keys.ts';

/** What is counted of a judgment. */
export interface CountedJudgment {
  organizationId: string | null;
  /** Each with how it is written. */
  words: ReadonlyMap<string, string>;
}

interface TermRow {
  term: string;
  judgments: number;
  word: string | null;
  spellings: string[];
}

/** Counts in how many judgments each word occurs. In the order of terms, so that nobody waits in a circle. */
export async function countTerms(
  tx: Transaction,
  tenantId: string,
  judgments: CountedJudgment[],
): Promise<void> {
  const rows = termRows(tenantId, judgments);
  await tx.query(sql`
    INSERT INTO memory_terms (tenant_id, term, judgments, word, spellings)
    SELECT ${tenantId}, term, judgments, word, spellings
    FROM json_to_recordset(${JSON.stringify(rows)}::json) AS counted(
      term bigint, judgments int, word text, spellings bigint[])
    ORDER BY term
    ON CONFLICT (tenant_id, term) DO UPDATE SET
      judgments = memory_terms.judgments + excluded.judgments,
      -- As it is, nearly always: then no index has to be touched.
      spellings = CASE WHEN memory_terms.spellings @> excluded.spellings
                  THEN memory_terms.spellings
                  ELSE memory_terms.spellings || excluded.spellings END`);
}

/** A word of a place, in so many judgments, written in these ways. */
interface CountedWord {
  judgments: number;
  written: Set<string>;
}

function termRows(tenantId: string, judgments: CountedJudgment[]): TermRow[] {
  const counts = new Map<string | null, Map<string, CountedWord>>();
  const count = (organizationId: string | null, word: string, written: string) => {
    const words = counts.get(organizationId) ?? new Map<string, CountedWord>();
    const counted = words.get(word) ?? { judgments: 0, written: new Set() };
    counted.judgments += 1;
    counted.written.add(written);
    counts.set(organizationId, words.set(word, counted));
  };
  for (const { organizationId, words } of judgments) {
    for (const [word, written] of [[ALL_WORDS, ALL_WORDS] as const, ...words]) {
      count(null, word, written);
      if (organizationId !== null) count(organizationId, word, written);
    }
  }
  return [...counts].flatMap(([organizationId, words]) =>
    [...words].map(([word, counted]) => rowOf(tenantId, organizationId, word, counted)),
  );
}

/** Misspellings are looked for among the words of the tenant, so an organization's have none. */
function rowOf(
  tenantId: string,
  organizationId: string | null,
  word: string,
  { judgments, written }: CountedWord,
): TermRow {
  const ofTenant = organizationId === null;
  const keys = ofTenant ? [...written].flatMap((form) => spellingKeys(tenantId, form)) : [];
  return {
    term: termKey(tenantId, organizationId, word),
    judgments,
    word: ofTenant ? word : null,
    spellings: [...new Set(keys)],
  };
}
