import type { WorkspaceContext } from '../../api/context.ts';
import { sql, type Transaction } from '../../platform/database/database.ts';
import { AppError } from '../../platform/errors.ts';
import { newToken } from '../../platform/ids.ts';
import { type SealedColumn, sha256 } from '../../platform/secrets.ts';
import { decryptIfPossible } from '../settings/sealed-settings.ts';
import type { PresentedAuthToken } from './schema.ts';

const storageAddress = (apiKey: string, hash: Uint8Array) =>
  `auth_tokens/${apiKey}/${Buffer.from(hash).toString('hex')}`;

export const SEALED_AUTH_TOKEN: SealedColumn = {
  table: 'auth_tokens',
  column: 'sealed_token',
  key: ['tenant_id', 'hash'],
  storageAddress: (apiKey, hash) => storageAddress(String(apiKey), Buffer.from(hash ?? '')),
};

export const apiKeyNotFound = () => new AppError('NOT_FOUND', 'The API key does not exist.');

type AuthTokenRow =
  | { hash: null; sealedToken: null; name: null; domains: null }
  | { hash: Buffer; sealedToken: string; name: string; domains: string[] };

/**
 * Returns the auth tokens of a key, except those that can no longer be decrypted.
 *
 * @throws NOT_FOUND for a key of another workspace
 */
export async function getAuthTokens(ctx: WorkspaceContext, apiKey: string) {
  const rows = await ctx.db.query<AuthTokenRow>(sql`
    SELECT t.hash, t.sealed_token AS "sealedToken", t.name, t.domains
    FROM api_keys k LEFT JOIN auth_tokens t ON t.tenant_id = k.id
    WHERE k.id = ${apiKey} AND k.workspace_id = ${ctx.workspaceId} ORDER BY t.created_at`);
  if (rows.length === 0) throw apiKeyNotFound();
  const authTokens = rows.flatMap(({ hash, sealedToken, name, domains }): PresentedAuthToken[] => {
    // A key without tokens gives one row with nulls.
    if (hash === null) return [];
    const token = decryptIfPossible(ctx, sealedToken, storageAddress(apiKey, hash));
    return token === undefined ? [] : [{ token, name, domains }];
  });
  return { apiKey, authTokens };
}

/**
 * Revokes the key's auth tokens and all its user tokens, and creates a new auth token.
 * @throws NOT_FOUND
 */
export function resetAuthToken(ctx: WorkspaceContext, apiKey: string) {
  return ctx.db.transaction(async (tx) => {
    // The lock serializes concurrent resets, so that one token remains.
    const key = await tx.query(sql`
      UPDATE api_keys SET token_generation = token_generation + 1
      WHERE id = ${apiKey} AND workspace_id = ${ctx.workspaceId} RETURNING 1`);
    if (key.length === 0) throw apiKeyNotFound();
    await tx.query(sql`DELETE FROM auth_tokens WHERE tenant_id = ${apiKey}`);
    const token = await addAuthToken(ctx, tx, apiKey);
    const newAuthToken: PresentedAuthToken = { token, name: '', domains: [] };
    return { apiKey, newAuthToken };
  });
}

/** Adds a new auth token. Its row has a hash for lookups, and the encrypted token for display. */
export async function addAuthToken(
  { secrets }: Pick<WorkspaceContext, 'secrets'>,
  tx: Transaction,
  apiKey: string,
): Promise<string> {
  const token = newToken();
  const hash = sha256(token);
  await tx.query(sql`
    INSERT INTO auth_tokens (tenant_id, hash, sealed_token)
    VALUES (${apiKey}, ${hash}, ${secrets.seal(token, storageAddress(apiKey, hash))})`);
  return token;
}
