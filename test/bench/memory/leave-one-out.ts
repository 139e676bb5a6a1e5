import type { KeyContext } from '../../../src/api/context.ts';
import { addJudgments } from '../../../src/features/memory/judgments/add-judgments.ts';
import {
  countTerms,
  type IndexedJudgment,
  indexedColumns,
} from '../../../src/features/memory/judgments/count-terms.ts';
import { suggestDecision } from '../../../src/features/memory/suggest/suggest-decision.ts';
import { type Database, sql, type Transaction } from '../../../src/platform/database/database.ts';
import { TENANT } from '../harness/credentials.ts';
import { type Labelled, NOW } from './labelled.ts';

/** The answer to a question with a known answer. */
export interface Answered {
  judgment: Labelled;
  /** Our probability of an approval; undefined without a suggestion. */
  ours: number | undefined;
  /** The decision about the nearest item by full-text rank; undefined without a common word. */
  nearest: { approved: boolean; rank: number } | undefined;
  /** The majority of the other judgments. */
  majority: boolean;
}

const contextOf = (db: Database) => ({ db, clock: { now: () => NOW }, tenantId: TENANT });

const add = (db: Database, judgments: Labelled[]) =>
  addJudgments(contextOf(db) as KeyContext, { judgments });

/** Removes each judgment, asks about it, and adds it again, so all others are known. */
export async function leaveOneOut(db: Database, set: Labelled[]): Promise<Answered[]> {
  const { recordIds } = await add(db, set);
  const answers: Answered[] = [];
  for (const [index, judgment] of set.entries()) {
    const others = set.toSpliced(index, 1);
    answers.push(
      await undone(db, async (tx) => {
        await takeOut(tx, recordIds[index] ?? '');
        return ask(tx, judgment, others, NOW);
      }),
    );
  }
  return answers;
}

/** Asks about each judgment at its time, and then adds it, so only earlier ones are known. */
export async function asItHappened(db: Database, set: Labelled[]): Promise<Answered[]> {
  const answers: Answered[] = [];
  for (const [index, judgment] of set.entries()) {
    const earlier = set.slice(0, index);
    answers.push(await undone(db, (tx) => ask(tx, judgment, earlier, judgment.createdAt)));
    await add(db, [judgment]);
  }
  return answers;
}

async function ask(
  tx: Transaction,
  judgment: Labelled,
  others: Labelled[],
  now: number,
): Promise<Answered> {
  const { query, organizationId } = judgment;
  const ctx = { db: tx, clock: { now: () => now }, tenantId: TENANT };
  const { primary } = await suggestDecision(ctx, { query, organizationId });
  const approvals = others.filter(({ approved }) => approved).length;
  return {
    judgment,
    ours:
      primary === null
        ? undefined
        : primary.recommendation === 'approve'
          ? primary.confidence
          : 1 - primary.confidence,
    nearest: (await nearest(tx, query, organizationId)) ?? (await nearest(tx, query, null)),
    majority: approvals * 2 >= others.length,
  };
}

/**
 * Plain full-text search for any common word, the best rank first, in the organization or
 * everywhere.
 */
async function nearest(tx: Transaction, query: string, organizationId: string | null) {
  const [found] = await tx.query<{ side: number; rank: number }>(sql`
    WITH asked AS (
      SELECT replace(plainto_tsquery('english', ${query})::text, '&', '|')::tsquery AS words
    )
    SELECT side, ts_rank(to_tsvector('english', query), words)::float8 AS rank
    FROM memory_judgments, asked
    WHERE tenant_id = ${TENANT} AND side <> 0 AND to_tsvector('english', query) @@ words
      AND (${organizationId}::text IS NULL OR organization_id = ${organizationId})
    ORDER BY rank DESC, created_ms DESC LIMIT 1`);
  return found && { approved: found.side === 1, rank: found.rank };
}

async function takeOut(tx: Transaction, recordId: string): Promise<void> {
  const gone = await tx.query<IndexedJudgment>(sql`
    DELETE FROM memory_judgments WHERE tenant_id = ${TENANT} AND record_id = ${recordId}
    RETURNING ${indexedColumns}`);
  await countTerms(tx, TENANT, [], gone);
}

/** The result of `work` in a transaction that is rolled back. */
async function undone<Result>(
  db: Database,
  work: (tx: Transaction) => Promise<Result>,
): Promise<Result> {
  let result: { value: Result } | undefined;
  const rollBack = new Error('not kept');
  await db
    .transaction(async (tx) => {
      result = { value: await work(tx) };
      throw rollBack;
    })
    .catch((error: unknown) => {
      if (error !== rollBack) throw error;
    });
  if (!result) throw new Error('Nothing was asked.');
  return result.value;
}
