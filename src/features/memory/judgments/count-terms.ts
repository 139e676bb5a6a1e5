import { jsonLists, mapInChunks } from '../../../platform/chunks.ts';
import { sql, type Transaction } from '../../../platform/database/database.ts';
import { nextChunk } from '../../../platform/event-loop.ts';
import { ALL_TERMS, termKey } from '../text/term-keys.ts';

/** A judgment with the keys of its terms, as stored. */
export interface IndexedJudgment {
  organizationId: string | null;
  terms: string[];
  organizationTerms: string[];
}

/** SQL: an `IndexedJudgment`, of a row of memory_judgments. */
export const indexedColumns = sql`
  organization_id AS "organizationId", tsvector_to_array(terms) AS terms,
  tsvector_to_array(organization_terms) AS "organizationTerms"`;

/**
 * Updates in how many judgments each term occurs, and deletes those that occur in none. The rows that
 * count all judgments are written first, and lock out other transactions of the tenant, which may
 * thus write the other rows in any order.
 */
export async function countTerms(
  tx: Transaction,
  tenantId: string,
  added: IndexedJudgment[],
  removed: IndexedJudgment[] = [],
): Promise<void> {
  const all = new Map<string, number>();
  const terms = new Map<string, number>();
  const count = async (judgments: IndexedJudgment[], times: 1 | -1) => {
    for (const { organizationId, terms: own, organizationTerms } of judgments) {
      await nextChunk();
      for (const scope of new Set([null, organizationId])) {
        const key = termKey(tenantId, scope, ALL_TERMS);
        all.set(key, (all.get(key) ?? 0) + times);
      }
      for (const term of [...own, ...organizationTerms]) {
        terms.set(term, (terms.get(term) ?? 0) + times);
      }
    }
  };
  await count(added, 1);
  await count(removed, -1);
  const isRemoving = removed.length > 0;
  // Also where the number of judgments stays, since the row is the lock.
  await writeTerms(tx, tenantId, [...all], isRemoving);
  const changed = [...terms].filter(([, times]) => times !== 0);
  await writeTerms(tx, tenantId, changed, isRemoving);
}

async function writeTerms(
  tx: Transaction,
  tenantId: string,
  counts: Array<[term: string, judgments: number]>,
  isRemoving: boolean,
): Promise<void> {
  const rows = await mapInChunks(counts, ([term, judgments]) =>
    JSON.stringify({ term, judgments }),
  );
  for (const list of jsonLists(rows)) {
    const counted = sql`json_to_recordset(${list}::json) AS counted(term text, judgments int)`;
    await tx.query(sql`
      INSERT INTO memory_terms (tenant_id, term, judgments)
      SELECT ${tenantId}, term, judgments FROM ${counted}
      ORDER BY term COLLATE "C"
      ON CONFLICT (tenant_id, term) DO UPDATE
      SET judgments = memory_terms.judgments + excluded.judgments`);
    if (!isRemoving) continue;
    await tx.query(sql`
      DELETE FROM memory_terms WHERE tenant_id = ${tenantId} AND judgments <= 0
        AND term = ANY(ARRAY(SELECT term FROM ${counted}))`);
  }
}
