import type { Services } from '../../api/context.ts';
import { tokenRefused } from '../../api/credentials/user-tokens.ts';
import { type OwnQuotas, ownQuotas } from '../../api/quotas/limits.ts';
import {
  findEndedCallers,
  type KeyState,
  keyFailure,
  type StreamCaller,
} from '../../api/subscriptions/stream-caller.ts';
import { type Database, type Queryable, sql } from '../../platform/database/database.ts';
import type { OpenDocument } from '../documents/open-document.ts';
import { connectionsTo, connectionsToAll, type LiveConnection } from '../live-connection.ts';
import { closeEventOfFailure } from '../refusal.ts';
import { applyStorageQuota } from './read-only.ts';

const EXPIRED = closeEventOfFailure(tokenRefused('TOKEN_EXPIRED'));

/** Closes connections whose tokens have expired. @param now Unix seconds. */
export function closeExpired(documents: Iterable<OpenDocument>, now: number): void {
  for (const connection of connectionsToAll(documents)) {
    if (now >= connection.session.tokenExpiresAt) connection.close(EXPIRED);
  }
}

/** Closes connections whose tokens have become invalid, with one statement for all. */
export async function closeInvalid(db: Database, documents: Iterable<OpenDocument>): Promise<void> {
  const callers = new Map<string, StreamCaller & { connections: LiveConnection[] }>();
  for (const open of documents) {
    const { tenantId } = open.name;
    for (const connection of connectionsTo(open.document)) {
      const { userId, tokenEra, origin } = connection.session;
      const key = JSON.stringify([tenantId, userId, tokenEra, origin]);
      const caller = callers.get(key) ?? {
        tenantId,
        userId,
        tokenEra,
        origin,
        // `closeExpired` closes expired tokens, and editors have no auth tokens.
        tokenEndsAt: undefined,
        tokenHash: undefined,
        connections: [],
      };
      caller.connections.push(connection);
      callers.set(key, caller);
    }
  }
  for (const { caller, failure } of await findEndedCallers(db, [...callers.values()])) {
    for (const connection of caller.connections) connection.close(closeEventOfFailure(failure));
  }
}

interface KeyCheck extends Pick<Services, 'db' | 'quotas'> {
  /**
   * For each key that was in use at the last check, how often tokens of its users had been revoked.
   * Each check replaces these numbers.
   */
  revocations: Map<string, number>;
}

/**
 * Closes connections whose key was disabled or changed, or whose user's tokens were revoked, and makes
 * editors read-only while the storage of their key is used up. Reads one row for each key in use.
 *
 * @returns whether tokens of a key that was in use before were revoked since the last check
 */
export async function checkKeys(
  { db, quotas, revocations }: KeyCheck,
  documents: Iterable<OpenDocument>,
): Promise<boolean> {
  const byTenant = Map.groupBy(documents, ({ name }) => name.tenantId);
  const states = await keyStates(db, [...byTenant.keys()]);
  for (const [tenantId, documentsOfKey] of byTenant) {
    const state = states.get(tenantId);
    if (!state) continue;
    for (const connection of connectionsToAll(documentsOfKey)) {
      const failure = keyFailure(state, connection.session);
      if (failure) connection.close(closeEventOfFailure(failure));
    }
    const isUsedUp = (await quotas.of(tenantId, state.quotas)?.isStorageUsedUp()) ?? false;
    for (const connection of connectionsToAll(documentsOfKey))
      applyStorageQuota(connection, isUsedUp);
  }
  const changed = [...states].filter(
    ([id, { tokenRevocations }]) => revocations.get(id) !== tokenRevocations,
  );
  const wereRevoked = changed.some(([id]) => revocations.has(id));
  const affected = changed.flatMap(([tenantId]) => byTenant.get(tenantId) ?? []);
  await closeInvalid(db, affected);
  revocations.clear();
  for (const [id, { tokenRevocations }] of states) revocations.set(id, tokenRevocations);
  return wereRevoked;
}

interface TenantState extends KeyState {
  quotas: OwnQuotas;
  /** How often tokens of single users of the key were revoked. */
  tokenRevocations: number;
}

/** Loads the current state of API keys, by their ids. */
async function keyStates(db: Queryable, tenantIds: string[]): Promise<Map<string, TenantState>> {
  if (tenantIds.length === 0) return new Map();
  const rows = await db.query<TenantState & { tenantId: string }>(sql`
    SELECT k.id AS "tenantId", disabled, token_generation AS "tokenGeneration",
      token_revocations AS "tokenRevocations", allowed_domains AS "allowedDomains", ${ownQuotas}
    FROM api_keys /* all tenants */ k WHERE k.id = ANY(${tenantIds})`);
  return new Map(rows.map(({ tenantId, ...state }) => [tenantId, state]));
}
