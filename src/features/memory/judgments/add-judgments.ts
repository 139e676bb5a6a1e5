import type { KeyContext } from '../../../api/context.ts';
import { newId } from '../../../platform/ids.ts';
import { insertJudgments } from './insert-judgments.ts';
import type { AddJudgmentsInput } from './schema.ts';

/** Adds judgments and returns their ids in the order given. */
export async function addJudgments(
  { db, clock, tenantId }: Pick<KeyContext, 'db' | 'clock' | 'tenantId'>,
  { judgments }: AddJudgmentsInput,
): Promise<{ recordIds: string[] }> {
  const now = clock.now();
  const stored = judgments.map(({ createdAt: createdMs = now, ...judgment }) => ({
    ...judgment,
    recordId: newId(),
    createdMs,
    recordedMs: now,
  }));
  await db.transaction((tx) => insertJudgments(tx, tenantId, stored, now));
  return { recordIds: stored.map(({ recordId }) => recordId) };
}
