import { sql, type Transaction } from '../../../platform/database/database.ts';
import { asciiOf, canBeMisspelt } from '../text/spellings.ts';
import { ALL_WORDS, termKey } from '../text/term-keys.ts';
import { wordForms } from '../text/words.ts';

/** A judgment as it is found, with what it says. */
export interface IndexedJudgment {
  organizationId: string | null;
  query: string;
  /** As they were when it was written. */
  terms: string[];
  organizationTerms: string[];
}

/** SQL: an `IndexedJudgment`, of a row of memory_judgments. */
export const indexedColumns = sql`
  organization_id AS "organizationId", query, tsvector_to_array(terms) AS terms,
  tsvector_to_array(organization_terms) AS "organizationTerms"`;

/** What is counted of a judgment. */
interface Counted {
  /** Keys of its words, and of what stands for all words, in the tenant and its organization. */
  terms: string[];
  /** How its words are written, each with its key in the tenant. */
  spellings: Array<[written: string, term: string]>;
}

function countedOf(tenantId: string, judgment: IndexedJudgment): Counted {
  const { organizationId, query, terms, organizationTerms } = judgment;
  const places = organizationId === null ? [null] : [null, organizationId];
  const all = places.map((place) => termKey(tenantId, place, ALL_WORDS));
  const spellings = [...wordForms(query)]
    .filter(([, written]) => canBeMisspelt(written))
    .map(([word, written]): [string, string] => [written, termKey(tenantId, null, word)]);
  return { terms: [...all, ...terms, ...organizationTerms], spellings };
}

/**
 * Counts in how many judgments each word occurs, and each way of writing it. What occurs in none any
 * more is forgotten. In the order of keys, so that nobody waits in a circle.
 */
export async function countTerms(
  tx: Transaction,
  tenantId: string,
  added: IndexedJudgment[],
  removed: IndexedJudgment[] = [],
): Promise<void> {
  const terms = new Map<string, number>();
  const spellings = new Map<string, Spelling>();
  const count = (judgments: IndexedJudgment[], times: 1 | -1) => {
    for (const judgment of judgments) {
      const counted = countedOf(tenantId, judgment);
      for (const term of counted.terms) terms.set(term, (terms.get(term) ?? 0) + times);
      for (const [written, term] of counted.spellings) {
        const before = spellings.get(written)?.judgments ?? 0;
        spellings.set(written, { written, term, judgments: before + times });
      }
    }
  };
  count(added, 1);
  count(removed, -1);
  await writeTerms(tx, tenantId, terms);
  await writeSpellings(tx, tenantId, [...spellings.values()]);
  if (removed.length > 0) await forget(tx, tenantId, [...terms.keys()], [...spellings.keys()]);
}

interface Spelling {
  written: string;
  term: string;
  judgments: number;
}

async function writeTerms(
  tx: Transaction,
  tenantId: string,
  terms: ReadonlyMap<string, number>,
): Promise<void> {
  await tx.query(sql`
    INSERT INTO memory_terms (tenant_id, term, judgments)
    SELECT ${tenantId}, term, judgments
    FROM unnest(${[...terms.keys()]}::text[], ${[...terms.values()]}::int[])
      AS counted(term, judgments)
    WHERE judgments <> 0
    ORDER BY term COLLATE "C"
    ON CONFLICT (tenant_id, term) DO UPDATE
    SET judgments = memory_terms.judgments + excluded.judgments`);
}

async function writeSpellings(
  tx: Transaction,
  tenantId: string,
  spellings: Spelling[],
): Promise<void> {
  const rows = spellings.map((spelling) => ({ ...spelling, ascii: asciiOf(spelling.written) }));
  await tx.query(sql`
    INSERT INTO memory_spellings (tenant_id, written, ascii, term, judgments)
    SELECT ${tenantId}, written, ascii, term, judgments
    FROM json_to_recordset(${JSON.stringify(rows)}::json) AS counted(
      written text, ascii text, term text, judgments int)
    WHERE judgments <> 0
    ORDER BY written COLLATE "C"
    ON CONFLICT (tenant_id, written) DO UPDATE
    SET judgments = memory_spellings.judgments + excluded.judgments`);
}

/** Their rows are locked by now, in order. */
async function forget(
  tx: Transaction,
  tenantId: string,
  terms: string[],
  spellings: string[],
): Promise<void> {
  await tx.query(sql`
    DELETE FROM memory_terms
    WHERE tenant_id = ${tenantId} AND term = ANY(${terms}) AND judgments <= 0`);
  await tx.query(sql`
    DELETE FROM memory_spellings
    WHERE tenant_id = ${tenantId} AND written = ANY(${spellings}) AND judgments <= 0`);
}
