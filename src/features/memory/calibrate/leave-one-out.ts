import { type Queryable, sql } from '../../../platform/database/database.ts';
import { MAX_EXAMPLES } from '../judgments/insert-judgments.ts';
import { evidenceFor } from '../suggest/evidence-for.ts';
import type { Example } from './fit-slope.ts';

/** How many of the newest judgments are read for them, since several may be about one item. */
const MAX_READ = 1_000;

interface Item {
  query: string;
  organizationId: string | null;
  documentId: string | null;
  createdMs: number;
  approved: boolean;
  /** All judgments that the reviewer made of the item. */
  recordIds: string[];
}

/** Asks about the newest items of a tenant as if their own judgments were not known. */
export async function leaveOneOut(db: Queryable, tenantId: string): Promise<Example[]> {
  const examples: Example[] = [];
  for (const item of await newestItems(db, tenantId)) {
    const { query, organizationId, documentId, createdMs, approved, recordIds } = item;
    const question = {
      query,
      organizationId: organizationId ?? undefined,
      documentId: organizationId === null ? undefined : (documentId ?? undefined),
      // Asked at its own time, so that a change since then is no mistake of the rule.
      now: createdMs,
    };
    const verdict = await evidenceFor(db, tenantId, question, {
      without: new Set(recordIds),
    });
    if (verdict) examples.push({ score: verdict.score, approved });
  }
  return examples;
}

/** A reviewer's judgments of one item are one example, with the latest decision. */
const newestItems = (db: Queryable, tenantId: string): Promise<Item[]> =>
  db.query<Item>(sql`
    SELECT (array_agg(query ORDER BY position DESC))[1] AS query,
      organization_id AS "organizationId", (array_agg(document_id ORDER BY position DESC))[1] AS "documentId",
      max(created_ms)::float8 AS "createdMs", (array_agg(side ORDER BY position DESC))[1] = 1 AS approved, array_agg(record_id) AS "recordIds"
    FROM (
      SELECT * FROM memory_judgments WHERE tenant_id = ${tenantId} AND side <> 0
      ORDER BY created_ms DESC, position DESC LIMIT ${MAX_READ}) AS newest
    GROUP BY organization_id, fingerprint, COALESCE(reviewer_id, record_id)
    ORDER BY max(created_ms) DESC, max(position) DESC LIMIT ${MAX_EXAMPLES}`);
