import { decryptAnswer } from '../../api/idempotency/answer-once.ts';
import { sql, type Transaction } from '../../platform/database/database.ts';
import { isUnmistakable } from '../../platform/erasure/people.ts';
import type { Erasure, ErasureStep } from '../../platform/erasure/step.ts';

/** Opened in one transaction: each may be large. */
const ANSWERS = 100;

interface KeptAnswer {
  caller: string;
  path: string;
  key: string;
  sealedAnswer: string | null;
}

/**
 * The answers that are kept for writes that may be sent again: those to the users themselves, and
 * those that name them. They are sealed, so they are opened one by one. A write that is then sent
 * again is done again, as it would be a day later.
 */
export const erasedAnswers: ErasureStep = {
  name: 'keptAnswers',
  async run(erasure, tx, after) {
    const kept = await readAnswers(erasure, tx, after);
    const doomed = kept.filter((answer) => isAbout(erasure, answer));
    await tx.query(sql`
      DELETE FROM idempotency_keys k
      USING unnest(${doomed.map((one) => one.caller)}::text[],
                   ${doomed.map((one) => one.path)}::text[], ${doomed.map((one) => one.key)}::text[])
        AS doomed(caller, path, key)
      WHERE k.tenant_id = doomed.caller AND k.path = doomed.path AND k.key = doomed.key`);
    const last = kept.length === ANSWERS ? kept.at(-1) : undefined;
    return {
      counts: { keptAnswers: doomed.length },
      next: last && [last.caller, last.path, last.key],
    };
  },
};

/** Callers are the key and its users, whose names all begin with the key's. */
function readAnswers(
  { tenantId }: Erasure,
  tx: Transaction,
  after: string[],
): Promise<KeptAnswer[]> {
  const prefix = `${JSON.stringify([tenantId]).slice(0, -1)},`;
  const [caller = prefix, path = '', key = ''] = after;
  return tx.query<KeptAnswer>(sql`
    SELECT tenant_id AS caller, path, key, sealed_answer AS "sealedAnswer"
    FROM idempotency_keys /* all tenants, background */
    WHERE tenant_id >= ${prefix} AND tenant_id < ${`${prefix}\u{10FFFF}`}
      AND (tenant_id, path, key) > (${caller}, ${path}, ${key})
    ORDER BY tenant_id, path, key LIMIT ${ANSWERS}`);
}

function isAbout({ tenantId, userIds, anonymiser, secrets }: Erasure, kept: KeptAnswer): boolean {
  if (userIds.some((userId) => kept.caller === JSON.stringify([tenantId, userId]))) return true;
  if (userIds.some((id) => kept.key === id || (isUnmistakable(id) && kept.key.includes(id)))) {
    return true;
  }
  const answer = decryptAnswer(secrets, kept);
  return answer !== undefined && anonymiser.needles.some((needle) => answer.includes(needle));
}
