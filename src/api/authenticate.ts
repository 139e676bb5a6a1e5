import { sql } from '../platform/database/database.ts';
import { AppError } from '../platform/errors.ts';
import { equalSecrets, sha256 } from '../platform/secrets.ts';
import { isAllowedOrigin } from './allowed-domains.ts';
import type { KeyContext, KeySettings, RequestContext } from './context.ts';
import { type UserClaims, verifyUserToken } from './user-tokens.ts';

/** The levels of specification part 5, and the administrator's. */
export type AuthLevel = 'admin' | 'workspace' | 'apiKey';

export const HEADERS = {
  workspaceId: 'x-svc-workspace-id',
  workspaceAuthToken: 'x-svc-workspace-auth-token',
  apiKey: 'x-svc-api-key',
  authToken: 'x-svc-auth-token',
  adminToken: 'x-svc-admin-token',
  authorization: 'authorization',
} as const;

const denied = (message: string) => new AppError('PERMISSION_DENIED', message);

/** In a line of their own: calls that take long keep nobody from showing credentials. */
const credentialsOf = ({ db }: RequestContext, claimed: string) =>
  db.for({ name: `credentials ${claimed}` });

export function authenticateAdmin(ctx: RequestContext): void {
  const token = ctx.header(HEADERS.adminToken);
  if (token === undefined || !equalSecrets(token, ctx.config.adminToken)) {
    throw denied('Invalid admin token.');
  }
}

/** @returns the workspace's id. */
export async function authenticateWorkspace(ctx: RequestContext): Promise<string> {
  const workspaceId = ctx.header(HEADERS.workspaceId);
  const token = ctx.header(HEADERS.workspaceAuthToken);
  if (!workspaceId || !token) throw denied('Invalid workspace id or workspace auth token.');
  const found = await credentialsOf(ctx, workspaceId).query(sql`
    SELECT 1 FROM workspace_auth_tokens
    WHERE workspace_id = ${workspaceId} AND hash = ${sha256(token)}`);
  if (found.length === 0) throw denied('Invalid workspace id or workspace auth token.');
  return workspaceId;
}

export interface KeyCredentials extends Pick<KeyContext, 'tenantId' | 'key' | 'userId' | 'agent'> {
  /** When the user token ends, in Unix seconds. */
  tokenEndsAt: number | undefined;
}

interface KeyRow extends KeySettings {
  tenantId: string;
  allowedDomains: string[];
}

/**
 * An API key with one of its auth tokens, or a user token where the operation takes one. Checks
 * the allowed domains as well: they restrict the key, whoever uses it.
 */
export async function authenticateKey(
  ctx: RequestContext,
  allowUserToken: boolean,
): Promise<KeyCredentials> {
  const bearer = /^Bearer (\S+)$/i.exec(ctx.header(HEADERS.authorization) ?? '')?.[1];
  const useBearer = bearer !== undefined && ctx.header(HEADERS.authToken) === undefined;
  const { key, userId, tokenEndsAt, agent } = useBearer
    ? await byUserToken(ctx, bearer, allowUserToken)
    : { key: await byAuthToken(ctx) };
  const { tenantId, allowedDomains, ...settings } = key;
  if (!isAllowedOrigin(ctx.header('origin'), allowedDomains)) {
    throw denied('This API key may not be used from this domain.');
  }
  return { tenantId, key: settings, userId, tokenEndsAt, agent };
}

const keyColumns = sql`
  k.id AS "tenantId", k.workspace_id AS "workspaceId",
  k.enable_private_comments AS "enablePrivateComments",
  k.require_auto_org_user AS "requireAutoOrgUser",
  k.advanced_queries AS "advancedQueries",
  k.default_document_access_type AS "defaultDocumentAccessType",
  k.allowed_domains AS "allowedDomains"`;

async function byAuthToken(ctx: RequestContext): Promise<KeyRow> {
  const apiKey = ctx.header(HEADERS.apiKey);
  const token = ctx.header(HEADERS.authToken);
  if (!apiKey || !token) throw denied('Invalid API key or auth token.');
  // The index compares hashes, so its timing tells nothing of the token.
  const [key] = await credentialsOf(ctx, apiKey).query<KeyRow>(sql`
    SELECT ${keyColumns}
    FROM auth_tokens t JOIN api_keys k ON k.id = t.tenant_id
    WHERE t.tenant_id = ${apiKey} AND t.hash = ${sha256(token)}`);
  if (!key) throw denied('Invalid API key or auth token.');
  return key;
}

async function byUserToken(ctx: RequestContext, token: string, allowed: boolean) {
  const claims = await verifyUserToken(ctx.secrets, ctx.clock, token);
  const apiKey = ctx.header(HEADERS.apiKey);
  const key =
    claims && (apiKey === undefined || apiKey === claims.tenantId)
      ? await findKey({ db: credentialsOf(ctx, claims.tenantId) }, claims)
      : undefined;
  if (!claims || !key) throw denied('Invalid user token.');
  if (!allowed) throw denied('This operation needs an API key and its auth token.');
  const { userId, expiresAt: tokenEndsAt, agent } = claims;
  return { key, userId, tokenEndsAt, agent };
}

/**
 * The settings of the key that a user token names, as long as its user exists: who was deleted has
 * no use of a token that is not over yet.
 */
export async function findKey(
  { db }: Pick<RequestContext, 'db'>,
  { tenantId, userId }: Pick<UserClaims, 'tenantId' | 'userId'>,
): Promise<KeyRow | undefined> {
  const [key] = await db.query<KeyRow>(sql`
    SELECT ${keyColumns}
    FROM users u JOIN api_keys k ON k.id = u.tenant_id
    WHERE u.tenant_id = ${tenantId} AND u.user_id = ${userId}`);
  return key;
}
