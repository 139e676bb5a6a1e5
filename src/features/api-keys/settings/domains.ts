import type { KeyContext } from '../../../api/context.ts';
import { sql, type Transaction } from '../../../platform/database/database.ts';
import { AppError, invalidArgument } from '../../../platform/errors.ts';
import { settingsRow } from '../../settings/settings-row.ts';

type Context = Pick<KeyContext, 'db' | 'tenantId'>;

/** Every request with an origin searches these domains. */
const MAX_DOMAINS = 1000;

export async function getDomains({ db, tenantId }: Context): Promise<{ allowedDomains: string[] }> {
  const rows = await db.query<{ allowedDomains: string[] }>(sql`
    SELECT allowed_domains AS "allowedDomains" FROM api_keys WHERE id = ${tenantId}`);
  return settingsRow(rows);
}

/**
 * Adds allowed domains (4.20).
 *
 * @throws INTERNAL when some exist already, as the specification requires; the others are added.
 */
export async function addDomains(
  ctx: Context,
  domains: string[],
): Promise<{ domainsAdded: string[] }> {
  const { present, absent } = await ctx.db.transaction(async (tx) => {
    const split = await lockAndSplit(ctx, tx, domains);
    if (split.count + split.absent.length > MAX_DOMAINS) {
      throw invalidArgument(`domains: a key can have at most ${MAX_DOMAINS}.`);
    }
    await tx.query(sql`
      UPDATE api_keys SET allowed_domains = allowed_domains || ${split.absent}::text[]
      WHERE id = ${ctx.tenantId}`);
    return split;
  });
  if (present.length === 0) return { domainsAdded: absent };
  // The error is thrown after the commit, so the new domains are added.
  throw new AppError('INTERNAL', 'Existing domains were skipped; the others were added.', {
    details: { domainsAdded: absent, skippedDomains: present },
  });
}

/**
 * Removes allowed domains, in the way of 4.20.
 *
 * @throws INTERNAL when some do not exist; the others are removed.
 */
export async function deleteDomains(
  ctx: Context,
  domains: string[],
): Promise<{ domainsRemoved: string[] }> {
  const { present, absent } = await ctx.db.transaction(async (tx) => {
    const split = await lockAndSplit(ctx, tx, domains);
    await tx.query(sql`
      UPDATE api_keys SET allowed_domains = ARRAY(
        SELECT domain FROM unnest(allowed_domains) WITH ORDINALITY AS stored(domain, position)
        WHERE domain <> ALL(${split.present}::text[]) ORDER BY position)
      WHERE id = ${ctx.tenantId}`);
    return split;
  });
  if (absent.length === 0) return { domainsRemoved: present };
  throw new AppError('INTERNAL', 'Unknown domains were skipped; the others were removed.', {
    details: { domainsRemoved: present, skippedDomains: absent },
  });
}

/**
 * Splits distinct domains into those that the key has and the others. A lock serializes changes.
 */
async function lockAndSplit({ tenantId }: Context, tx: Transaction, domains: string[]) {
  const rows = await tx.query<{ allowedDomains: string[] }>(sql`
    SELECT allowed_domains AS "allowedDomains" FROM api_keys
    WHERE id = ${tenantId} FOR NO KEY UPDATE`);
  const stored = new Set(settingsRow(rows).allowedDomains);
  const given = [...new Set(domains)];
  return {
    count: stored.size,
    present: given.filter((domain) => stored.has(domain)),
    absent: given.filter((domain) => !stored.has(domain)),
  };
}
