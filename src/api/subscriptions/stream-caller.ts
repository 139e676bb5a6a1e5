import { type Queryable, sql } from '../../platform/database/database.ts';
import { isAllowedOrigin } from '../allowed-domains.ts';

/** By what somebody has a subscription open, as far as it can come to an end. */
export interface StreamCaller {
  tenantId: string;
  /** Who came with a user token. */
  userId: string | undefined;
  /** When that token ends, in Unix seconds. */
  tokenEndsAt: number | undefined;
  /** What those who came with an auth token are found by. */
  tokenHash: Buffer | undefined;
  origin: string | undefined;
}

interface StillGood {
  at: number;
  allowedDomains: string[];
}

/**
 * Those of the callers who would not be let in now: the auth token was ended, the user deleted, or
 * the key's domains changed. One statement for everybody, of all tenants.
 */
export async function endedCallers<Caller extends StreamCaller>(
  db: Queryable,
  callers: Caller[],
): Promise<Caller[]> {
  if (callers.length === 0) return [];
  const rows = await db.query<StillGood>(sql`
    SELECT asked.at::int, k.allowed_domains AS "allowedDomains"
    FROM unnest(${callers.map(({ tenantId }) => tenantId)}::text[],
                ${callers.map(({ userId }) => userId ?? null)}::text[],
                ${callers.map(({ tokenHash }) => tokenHash ?? null)}::bytea[])
      WITH ORDINALITY AS asked(tenant_id, user_id, hash, at)
    JOIN api_keys k ON k.id = asked.tenant_id
    WHERE EXISTS (SELECT 1 FROM users /* all tenants */ u
                  WHERE u.tenant_id = asked.tenant_id AND u.user_id = asked.user_id)
       OR EXISTS (SELECT 1 FROM auth_tokens t
                  WHERE t.tenant_id = asked.tenant_id AND t.hash = asked.hash)`);
  const good = new Map(rows.map((row) => [row.at - 1, row.allowedDomains]));
  return callers.filter(({ origin }, at) => {
    const allowedDomains = good.get(at);
    return allowedDomains === undefined || !isAllowedOrigin(origin, allowedDomains);
  });
}
