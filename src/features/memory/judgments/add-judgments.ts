import type { KeyContext } from '../../../api/context.ts';
import { newId } from '../../../platform/ids.ts';
import { insertJudgments, type StoredJudgment } from './insert-judgments.ts';
import type { AddJudgmentsInput, NewJudgment } from './schema.ts';

/** Adds judgments and returns their ids in the order given. */
export async function addJudgments(
  { db, clock, tenantId }: Pick<KeyContext, 'db' | 'clock' | 'tenantId'>,
  { judgments }: AddJudgmentsInput,
): Promise<{ recordIds: string[] }> {
  const now = clock.now();
  const stored = judgments.map((judgment) => storedOf(judgment, now));
  await db.transaction((tx) => insertJudgments(tx, tenantId, stored, now));
  return { recordIds: stored.map(({ recordId }) => recordId) };
}

const storedOf = (judgment: NewJudgment, now: number): StoredJudgment => ({
  recordId: newId(),
  organizationId: judgment.organizationId ?? null,
  documentId: judgment.documentId ?? null,
  query: judgment.query,
  decision: judgment.decision,
  reasoning: judgment.reasoning ?? null,
  reviewer: judgment.reviewer ?? null,
  judgeType: judgment.judgeType,
  createdMs: judgment.createdAt ?? now,
  recordedMs: now,
});
