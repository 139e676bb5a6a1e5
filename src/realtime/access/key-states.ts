import { type OwnQuotas, ownQuotas } from '../../api/quotas/limits.ts';
import type { KeyState } from '../../api/subscriptions/stream-caller.ts';
import { type Queryable, sql } from '../../platform/database/database.ts';

/** Loads the current state of API keys, by their ids. */
export async function keyStates(
  db: Queryable,
  tenantIds: string[],
): Promise<Map<string, KeyState & { quotas: OwnQuotas }>> {
  if (tenantIds.length === 0) return new Map();
  const rows = await db.query<KeyState & { quotas: OwnQuotas; tenantId: string }>(sql`
    SELECT k.id AS "tenantId", disabled, token_generation AS "tokenGeneration",
      allowed_domains AS "allowedDomains",
      ${ownQuotas}
    FROM api_keys /* all tenants */ k WHERE k.id = ANY(${tenantIds})`);
  return new Map(rows.map(({ tenantId, ...state }) => [tenantId, state]));
}
