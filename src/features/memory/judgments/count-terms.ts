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
 * Updates in how many judgments each term occurs, and deletes those that occur in none. Rows are
 * written in the order of their keys, so that transactions do not deadlock.
 */
export async function countTerms(
  tx: Transaction,
  tenantId: string,
  added: IndexedJudgment[],
  removed: IndexedJudgment[] = [],
): Promise<void> {
  const terms = new Map<string, number>();
  const count = async (judgments: IndexedJudgment[], times: 1 | -1) => {
    for (const { organizationId, terms: own, organizationTerms } of judgments) {
      await nextChunk();
      const scopes = organizationId === null ? [null] : [null, organizationId];
      const all = scopes.map((scope) => termKey(tenantId, scope, ALL_TERMS));
      for (const term of [...all, ...own, ...organizationTerms]) {
        terms.set(term, (terms.get(term) ?? 0) + times);
      }
    }
  };
  await count(added, 1);
  await count(removed, -1);
  const counted = await inOrder([...terms].filter(([, times]) => times !== 0));
  for (const part of counted) await writeTerms(tx, tenantId, part);
  if (removed.length === 0) return;
  for (const part of counted) await forgetTerms(tx, tenantId, part);
}

/**
 * Splits counts into parts of one statement each. A statement sorts its part by bytes; the parts
 * are split by the leading characters of their keys, so that all of them together keep that order.
 */
async function inOrder(counts: Counts, at = 0): Promise<Counts[]> {
  if (counts.length <= MAX_WORDS) return counts.length === 0 ? [] : [counts];
  const groups = new Map<number, Counts>();
  for (const [index, count] of counts.entries()) {
    if (index % MAX_WORDS === 0) await nextChunk();
    const character = count[0].codePointAt(at) ?? -1;
    const group = groups.get(character);
    if (group) group.push(count);
    else groups.set(character, [count]);
  }
  const parts: Counts[] = [];
  for (const [, group] of [...groups].sort(([a], [b]) => a - b)) {
    parts.push(...(await inOrder(group, at + 1)));
  }
  return [...inParts(parts, ({ length }) => length, MAX_WORDS)].map((several) => several.flat());
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

/** Deletes terms without judgments. `writeTerms` has locked their rows in order. */
async function forgetTerms(tx: Transaction, tenantId: string, terms: Counts) {
  await nextChunk();
  await tx.query(sql`
    DELETE FROM memory_terms
    WHERE tenant_id = ${tenantId} AND term = ANY(${terms.map(([term]) => term)}) AND judgments <= 0`);
}
