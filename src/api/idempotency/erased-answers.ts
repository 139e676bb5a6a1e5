import { sql, type Transaction } from '../../platform/database/database.ts';
import { isUnmistakable } from '../../platform/erasure/people.ts';
import type { Erasure, ErasureStep } from '../../platform/erasure/step.ts';
import { type KeyedCall, rowsOf, storageAddress } from './reservations.ts';

/** How many responses one transaction decrypts. Each may be large. */
const MAX_ANSWERS = 100;

interface KeptAnswer extends KeyedCall {
  sealedAnswer: string | null;
}

/**
 * Deletes stored responses of idempotent calls if they were sent to the erased users or name them.
 * Responses are encrypted, so each one is decrypted and searched. If such a call is repeated, it
 * runs again, as it would after a day.
 */
export const deleteStoredAnswers: ErasureStep = {
  name: 'keptAnswers',
  async run(erasure, tx, after) {
    const answers = await readAnswers(erasure, tx, after);
    const matching = answers.filter((answer) => involvesErased(erasure, answer));
    await tx.query(sql`
      DELETE FROM idempotency_keys k USING ${rowsOf(matching)} AS matching(caller, path, key)
      WHERE k.tenant_id = matching.caller AND k.path = matching.path AND k.key = matching.key`);
    const last = answers.length === MAX_ANSWERS ? answers.at(-1) : undefined;
    return {
      counts: { keptAnswers: matching.length },
      next: last && [last.caller, last.path, last.key],
    };
  },
};

/** Reads responses to the key and to its users. */
function readAnswers(
  { tenantId }: Erasure,
  tx: Transaction,
  after: string[],
): Promise<KeptAnswer[]> {
  // A caller is the JSON of the key's id and a user's id or null.
  const prefix = `${JSON.stringify([tenantId]).slice(0, -1)},`;
  const [caller = prefix, path = '', key = ''] = after;
  return tx.query<KeptAnswer>(sql`
    SELECT tenant_id AS caller, path, key, sealed_answer AS "sealedAnswer"
    FROM idempotency_keys /* all tenants, background */
    WHERE tenant_id >= ${prefix} AND tenant_id < ${`${prefix}\u{10FFFF}`}
      AND (tenant_id, path, key) > (${caller}, ${path}, ${key})
    ORDER BY tenant_id, path, key LIMIT ${MAX_ANSWERS}`);
}

function involvesErased({ userIds, anonymiser, secrets }: Erasure, stored: KeptAnswer): boolean {
  const [, userId] = JSON.parse(stored.caller) as [tenantId: string, userId: string | null];
  if (userId !== null && userIds.includes(userId)) return true;
  if (userIds.some((id) => stored.key === id || (isUnmistakable(id) && stored.key.includes(id)))) {
    return true;
  }
  const answer = secrets.openJson(stored.sealedAnswer ?? '', storageAddress(stored));
  // A running call has no response yet, and a response that cannot be decrypted is never sent.
  if (answer === undefined) return false;
  const text = JSON.stringify(answer);
  return anonymiser.needles.some((needle) => text.includes(needle));
}
