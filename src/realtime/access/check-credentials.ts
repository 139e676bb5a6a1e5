import type { Services } from '../../api/context.ts';
import { type OwnQuotas, ownQuotas } from '../../api/quotas/limits.ts';
import { endInvalid } from '../../api/subscriptions/stream-caller.ts';
import { type Queryable, sql } from '../../platform/database/database.ts';
import type { OpenDocument } from '../documents/open-document.ts';
import { connectionsToAll } from '../live-connection.ts';
import { applyStorageQuota } from './read-only.ts';

interface KeyCheck extends Pick<Services, 'db' | 'quotas'> {
  /** The states of the keys in use at the last check (`KeyInUse`). Each check replaces them. */
  states: Map<string, string>;
}

/**
 * Closes connections whose key was disabled or changed, or whose user's tokens were revoked, and makes
 * editors read-only while the storage quota of their key is used up. Reads one row for each key in use, and the
 * tokens of a key only when its state has changed.
 *
 * @returns whether the state of a key has changed since the last check, or a key has come into use
 */
export async function checkKeys(
  { db, quotas, states }: KeyCheck,
  documents: Iterable<OpenDocument>,
): Promise<boolean> {
  const byTenant = Map.groupBy(documents, ({ name }) => name.tenantId);
  const connectionsOf = (tenantId: string) => connectionsToAll(byTenant.get(tenantId) ?? []);
  const keys = await loadKeys(db, [...byTenant.keys()]);
  const changed = keys.filter(({ tenantId, state }) => states.get(tenantId) !== state);
  await endInvalid(
    db,
    changed.flatMap(({ tenantId }) => connectionsOf(tenantId)),
  );
  for (const { tenantId, quotas: own } of keys) {
    const isUsedUp = (await quotas.of(tenantId, own)?.isStorageUsedUp()) ?? false;
    for (const connection of connectionsOf(tenantId)) applyStorageQuota(connection, isUsedUp);
  }
  states.clear();
  for (const { tenantId, state } of keys) states.set(tenantId, state);
  return changed.length > 0;
}

interface KeyInUse {
  tenantId: string;
  quotas: OwnQuotas;
  /** Everything that may end connections of the key or of its users, as text. */
  state: string;
}

async function loadKeys(db: Queryable, tenantIds: string[]): Promise<KeyInUse[]> {
  if (tenantIds.length === 0) return [];
  return db.query<KeyInUse>(sql`
    SELECT k.id AS "tenantId", ${ownQuotas}, jsonb_build_array(
      disabled, token_generation, token_revocations, allowed_domains)::text AS state
    FROM api_keys /* all tenants */ k WHERE k.id = ANY(${tenantIds})`);
}
