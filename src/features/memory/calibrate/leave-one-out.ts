import { type Queryable, sql } from '../../../platform/database/database.ts';
import { type JudgmentRow, judgmentColumns } from '../judgments/judgment-row.ts';
import { countKeys } from '../retrieve/query-terms.ts';
import { rank } from '../retrieve/rank.ts';
import { judge } from '../suggest/judge.ts';
import { decisionOf, lastOfEachReviewer } from '../suggest/last-decisions.ts';
import { ALL_TERMS, readVector, termKey } from '../text/term-keys.ts';
import { READ_LENGTH } from '../text/terms.ts';
import type { Example } from './fit-slope.ts';

/** How many of the newest items are asked about: more would say little more, and take long. */
const MAX_EXAMPLES = 300;
/** How many of the newest judgments examples are taken from and compared with. */
const MAX_READ = 1_000;

/**
 * Asks about the newest items of a tenant as if their own judgments were not known, with two
 * statements. A reviewer's judgments of one item are one example, with the latest decision.
 */
export async function leaveOneOut(db: Queryable, tenantId: string): Promise<Example[]> {
  const rows = await db.query<JudgmentRow & { words: string }>(sql`
    SELECT ${judgmentColumns}, terms::text AS words FROM (
      SELECT record_id, position, organization_id, document_id, decision, reviewer_id, judge_type,
        created_ms, side, fingerprint, terms, left(query, ${READ_LENGTH}::int) AS query,
        NULL AS reasoning, NULL AS reviewer_name
      FROM memory_judgments WHERE tenant_id = ${tenantId} AND side <> 0
      ORDER BY created_ms DESC, position DESC LIMIT ${MAX_READ}) AS newest`);
  const newest = rows.map(({ words, ...row }) => ({ ...row, terms: readVector(words) }));
  const allKey = termKey(tenantId, null, ALL_TERMS);
  const keys = new Set([allKey, ...newest.flatMap(({ terms }) => [...terms.keys()])]);
  const counts = await countKeys(db, tenantId, [...keys]);
  const frequencies = { all: counts.get(allKey) ?? 0, counts };
  const examples: Example[] = [];
  for (const item of lastOfEachReviewer(newest).slice(0, MAX_EXAMPLES)) {
    const others = newest.filter((other) => decisionOf(other) !== decisionOf(item));
    const organizationId = item.organizationId ?? undefined;
    const found = await rank(item.terms, organizationId, others, frequencies);
    // Asked at its own time, so that a change since then is no mistake of the rule.
    const question = { query: item.query, organizationId, now: item.createdMs };
    const verdict = await judge(question, found);
    if (!verdict) continue;
    const count = verdict.for.length + verdict.against.length;
    examples.push({ score: verdict.score, count, approved: item.stance === 1 });
  }
  return examples;
}
