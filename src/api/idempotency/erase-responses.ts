import { sql, type Transaction } from '../../platform/database/database.ts';
import { isUnmistakable } from '../../platform/erasure/people.ts';
import type { Erasure, ErasureStep } from '../../platform/erasure/step.ts';
import { type KeyedCall, rowsOf, storageAddress } from './reservations.ts';

/** How many responses one transaction decrypts. Each may be large. */
const MAX_RESPONSES = 100;

interface KeptResponse extends KeyedCall {
  sealedResponse: string | null;
}

/**
 * Deletes stored responses of idempotent calls if they were sent to the erased users or name them.
 * Responses are encrypted, so each one is decrypted and searched. If such a call is repeated, it
 * runs again, as it would after a day.
 */
export const eraseStoredResponses: ErasureStep = {
  name: 'keptAnswers',
  async run(erasure, tx, after) {
    const responses = await readResponses(erasure, tx, after);
    const matching = responses.filter((response) => involvesErased(erasure, response));
    await tx.query(sql`
      DELETE FROM idempotency_keys k USING ${rowsOf(matching)} AS matching(caller, path, key)
      WHERE k.tenant_id = matching.caller AND k.path = matching.path AND k.key = matching.key`);
    const last = responses.length === MAX_RESPONSES ? responses.at(-1) : undefined;
    return {
      counts: { keptAnswers: matching.length },
      next: last && [last.caller, last.path, last.key],
    };
  },
};

/** Reads responses to the key and to its users. */
function readResponses(
  { tenantId }: Erasure,
  tx: Transaction,
  after: string[],
): Promise<KeptResponse[]> {
  // A caller is the JSON of the key's id and a user's id or null.
  const prefix = `${JSON.stringify([tenantId]).slice(0, -1)},`;
  const [caller = prefix, path = '', key = ''] = after;
  return tx.query<KeptResponse>(sql`
    SELECT tenant_id AS caller, path, key, sealed_answer AS "sealedResponse"
    FROM idempotency_keys /* all tenants, background */
    WHERE tenant_id >= ${prefix} AND tenant_id < ${`${prefix}\u{10FFFF}`}
      AND (tenant_id, path, key) > (${caller}, ${path}, ${key})
    ORDER BY tenant_id, path, key LIMIT ${MAX_RESPONSES}`);
}

function involvesErased({ userIds, anonymiser, secrets }: Erasure, stored: KeptResponse): boolean {
  const [, userId] = JSON.parse(stored.caller) as [tenantId: string, userId: string | null];
  if (userId !== null && userIds.includes(userId)) return true;
  if (userIds.some((id) => stored.key === id || (isUnmistakable(id) && stored.key.includes(id)))) {
    return true;
  }
  const response = secrets.openJson(stored.sealedResponse ?? '', storageAddress(stored));
  // A running call has no response yet, and a response that cannot be decrypted is never sent.
  if (response === undefined) return false;
  const text = JSON.stringify(response);
  return anonymiser.needles.some((needle) => text.includes(needle));
}
