import type { KeyContext } from '../../../api/context.ts';
import { type Sql, sql } from '../../../platform/database/database.ts';
import { AppError, invalidArgument } from '../../../platform/errors.ts';
import { requireSettingsRow } from '../../settings/settings-row.ts';

type Context = Pick<KeyContext, 'db' | 'tenantId'>;

/** The most domains of a key. Every request with an origin searches them. */
const MAX_DOMAINS = 1000;

export async function getDomains({ db, tenantId }: Context): Promise<{ allowedDomains: string[] }> {
  const rows = await db.query<{ allowedDomains: string[] }>(sql`
    SELECT allowed_domains AS "allowedDomains" FROM api_keys WHERE id = ${tenantId}`);
  return requireSettingsRow(rows);
}

/** @throws INTERNAL if some already exist, as specification 4.20 requires; the others are added */
export async function addDomains(ctx: Context, domains: string[]) {
  const { known, unknown: domainsAdded } = await changeDomains(ctx, domains, (named) => {
    if (named.storedCount + named.unknown.length > MAX_DOMAINS) {
      throw invalidArgument(`domains: a key can have at most ${MAX_DOMAINS} domains.`);
    }
    return sql`allowed_domains || ${named.unknown}::text[]`;
  });
  // This throws after the commit, so that the new domains are added.
  return requireNoneSkipped(
    { domainsAdded },
    known,
    'Existing domains were skipped; the others were added.',
  );
}

/** @throws INTERNAL if some do not exist; the others are removed */
export async function deleteDomains(ctx: Context, domains: string[]) {
  const { known: domainsRemoved, unknown } = await changeDomains(
    ctx,
    domains,
    (named) => sql`ARRAY(
      SELECT domain FROM unnest(allowed_domains) WITH ORDINALITY AS stored(domain, position)
      WHERE domain <> ALL(${named.known}::text[]) ORDER BY position)`,
  );
  return requireNoneSkipped(
    { domainsRemoved },
    unknown,
    'Unknown domains were skipped; the others were removed.',
  );
}

/** The domains that a call names, divided by whether the key has them. */
interface NamedDomains {
  known: string[];
  unknown: string[];
  /** The number of domains that the key has. */
  storedCount: number;
}

/**
 * Changes the domains of a key. A lock serializes concurrent changes.
 *
 * @param domainsAfter returns SQL for the new value of `allowed_domains`
 */
const changeDomains = (
  { db, tenantId }: Context,
  domains: string[],
  domainsAfter: (named: NamedDomains) => Sql,
): Promise<NamedDomains> =>
  db.transaction(async (tx) => {
    const rows = await tx.query<{ allowedDomains: string[] }>(sql`
      SELECT allowed_domains AS "allowedDomains" FROM api_keys
      WHERE id = ${tenantId} FOR NO KEY UPDATE`);
    const stored = new Set(requireSettingsRow(rows).allowedDomains);
    const distinct = [...new Set(domains)];
    const named = {
      known: distinct.filter((domain) => stored.has(domain)),
      unknown: distinct.filter((domain) => !stored.has(domain)),
      storedCount: stored.size,
    };
    await tx.query(sql`
      UPDATE api_keys SET allowed_domains = ${domainsAfter(named)} WHERE id = ${tenantId}`);
    return named;
  });

function requireNoneSkipped<Changed extends object>(
  changed: Changed,
  skippedDomains: string[],
  message: string,
): Changed {
  if (skippedDomains.length === 0) return changed;
  throw new AppError('INTERNAL', message, { details: { ...changed, skippedDomains } });
}
