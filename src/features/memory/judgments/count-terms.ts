import { sql, type Transaction } from '../../../platform/database/database.ts';
import { nextChunk } from '../../../platform/event-loop.ts';
import { ALL_TERMS, termKey } from '../text/term-keys.ts';
import { inParts, MAX_WORDS } from './in-parts.ts';

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

type Counts = Array<[term: string, judgments: number]>;

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
  const changed = [...terms].filter(([, times]) => times !== 0);
  const parts: Counts[] = [[...all], ...inParts(changed, () => 1, MAX_WORDS)];
  for (const part of parts) await writeTerms(tx, tenantId, part);
  if (removed.length === 0) return;
  for (const part of parts) await forgetTerms(tx, tenantId, part);
}

async function writeTerms(tx: Transaction, tenantId: string, terms: Counts): Promise<void> {
  await nextChunk();
  await tx.query(sql`
    INSERT INTO memory_terms (tenant_id, term, judgments)
    SELECT ${tenantId}, term, judgments
    FROM unnest(${terms.map(([term]) => term)}::text[], ${terms.map(([, count]) => count)}::int[])
      AS counted(term, judgments)
    ORDER BY term COLLATE "C"
    ON CONFLICT (tenant_id, term) DO UPDATE
    SET judgments = memory_terms.judgments + excluded.judgments`);
}

/** Deletes terms without judgments. */
async function forgetTerms(tx: Transaction, tenantId: string, terms: Counts) {
  await nextChunk();
  await tx.query(sql`
    DELETE FROM memory_terms
    WHERE tenant_id = ${tenantId} AND term = ANY(${terms.map(([term]) => term)}) AND judgments <= 0`);
}
