import { unixSeconds } from '../../platform/clock.ts';
import { type Queryable, sql } from '../../platform/database/database.ts';
import { AppError } from '../../platform/errors.ts';
import { equalSecrets, sha256 } from '../../platform/secrets.ts';
import type { Gate, KeyContext, KeySettings, RequestContext, Services } from '../context.ts';
import { isAllowedOrigin } from '../credentials/allowed-domains.ts';
import {
  MISSING_ADMIN_TOKEN,
  malformedTokenMessage,
  missingKeyMessage,
  missingWorkspaceMessage,
  wrongKeyMessage,
} from '../credentials/credential-messages.ts';
import type { FailedAttempt } from '../credentials/failed-credentials.ts';
import { bearerToken, HEADERS } from '../credentials/headers.ts';
import { requireChoice } from '../credentials/signed-in.ts';
import { redeemStreamTicket } from '../credentials/stream-tickets.ts';
import {
  claimedKey,
  currentTokenEra,
  keyDisabled,
  tokenRefused,
  type UserClaims,
  verifyUserToken,
} from '../credentials/user-tokens.ts';
import { ownQuotas } from '../quotas/limits.ts';

const denied = (message: string) => new AppError('PERMISSION_DENIED', message);

/** Counts an attempt with wrong credentials, and returns its failure. Missing credentials do not count. */
const countFailure = (
  { gate, address }: RequestContext,
  level: FailedAttempt['level'],
  key: string,
  message: string,
) => gate.failedCredentials.refuse({ address: address(), level, key }, denied(message));

/**
 * Returns the database with a queue for credentials alone, so that slow calls do not delay
 * authentication.
 *
 * @param owner the API key or workspace that the credentials name
 */
const credentialsDatabase = ({ db }: RequestContext, owner: string) =>
  db.for({ name: `credentials ${owner}` });

/** @throws PERMISSION_DENIED; RESOURCE_EXHAUSTED after too many wrong tokens */
export function authenticateAdmin(ctx: RequestContext): void {
  if (ctx.signedIn) return;
  const token = ctx.header(HEADERS.adminToken);
  if (!token) throw denied(MISSING_ADMIN_TOKEN);
  if (!equalSecrets(token, ctx.config.adminToken)) {
    throw countFailure(ctx, 'admin', 'admin', 'Invalid admin token.');
  }
}

/** @returns the id of the workspace */
export async function authenticateWorkspace(ctx: RequestContext): Promise<string> {
  if (ctx.signedIn) return requireChoice(ctx.signedIn.workspaceId, 'workspace');
  const workspaceId = ctx.header(HEADERS.workspaceId);
  const token = ctx.header(HEADERS.workspaceAuthToken);
  if (!workspaceId || !token) throw denied(missingWorkspaceMessage(ctx));
  const found = await ctx.gate.credentials.get(`workspace ${workspaceId}\n${token}`, () =>
    findWorkspace(ctx, workspaceId, token),
  );
  if (!found) {
    throw countFailure(
      ctx,
      'workspace',
      workspaceId,
      'Invalid workspace id or workspace auth token.',
    );
  }
  return workspaceId;
}

async function findWorkspace(ctx: RequestContext, workspaceId: string, token: string) {
  const rows = await credentialsDatabase(ctx, workspaceId).query(sql`
    SELECT 1 FROM workspace_auth_tokens /* credentials */
    WHERE workspace_id = ${workspaceId} AND hash = ${sha256(token)}`);
  return rows.length === 0 ? undefined : { owners: [workspaceId] };
}

export interface KeyCredentials extends Pick<KeyContext, 'tenantId' | 'key' | 'userId' | 'agent'> {
  /** The claims of the user token, if the request has one. */
  claims: UserClaims | undefined;
}

interface KeyRow extends KeySettings {
  tenantId: string;
  allowedDomains: string[];
  disabled: boolean;
}

const keyColumns = sql`
  k.id AS "tenantId", k.workspace_id AS "workspaceId",
  k.enable_private_comments AS "enablePrivateComments",
  k.require_auto_org_user AS "requireAutoOrgUser",
  k.advanced_queries AS "advancedQueries",
  k.default_document_access_type AS "defaultDocumentAccessType",
  k.token_generation AS "tokenGeneration", k.disabled,
  k.default_access_role AS "defaultAccessRole", k.allow_user_rewrites AS "allowUserRewrites",
  k.require_attachment_approval AS "requireAttachmentApproval",
  ${ownQuotas},
  k.allowed_domains AS "allowedDomains"`;

/** Returns the owners of a key's credentials. A change to one of them removes the credentials from the cache. */
const ownersOf = ({ tenantId, workspaceId }: KeyRow): string[] => [tenantId, workspaceId];

/**
 * Authenticates an API key with one of its auth tokens, or with a user token where the operation
 * accepts one. The allowed domains of the key are checked in both cases.
 */
export async function authenticateKey(
  ctx: RequestContext,
  allowUserToken: boolean,
): Promise<KeyCredentials> {
  if (ctx.signedIn) return authenticateConsole(ctx, requireChoice(ctx.signedIn.apiKey, 'API key'));
  const { key, claims } = await authenticateByPresentedCredentials(ctx, allowUserToken);
  const { tenantId, allowedDomains, disabled } = key;
  if (disabled) throw keyDisabled();
  if (!isAllowedOrigin(ctx.header('origin'), allowedDomains)) {
    throw denied('This API key may not be used from this domain.');
  }
  return { tenantId, key, userId: claims?.userId, agent: claims?.agent, claims };
}

/** Authenticates the console, which acts as the API key itself, whatever domains the key allows. */
async function authenticateConsole(ctx: RequestContext, apiKey: string): Promise<KeyCredentials> {
  const found = await ctx.gate.credentials.get(`signed in ${apiKey}`, async () => {
    const [key] = await credentialsDatabase(ctx, apiKey).query<KeyRow>(sql`
      SELECT ${keyColumns} FROM api_keys /* credentials */ k WHERE k.id = ${apiKey}`);
    return key && { key, owners: ownersOf(key) };
  });
  if (!found) throw denied('The API key does not exist.');
  if (found.key.disabled) throw keyDisabled();
  return { tenantId: apiKey, key: found.key, userId: undefined, claims: undefined };
}

const CREDENTIAL_HEADERS = [HEADERS.apiKey, HEADERS.authToken, HEADERS.authorization];

/** Authenticates by the auth token; if there is none, by the user token; if there is neither, by the stream ticket. */
async function authenticateByPresentedCredentials(ctx: RequestContext, allowUserToken: boolean) {
  const userToken = bearerToken(ctx.header(HEADERS.authorization));
  if (userToken !== undefined && ctx.header(HEADERS.authToken) === undefined) {
    return authenticateByUserToken(ctx, userToken, allowUserToken);
  }
  const hasHeaders = CREDENTIAL_HEADERS.some((name) => ctx.header(name) !== undefined);
  if (ctx.ticket !== undefined && !hasHeaders) return authenticateByTicket(ctx, ctx.ticket);
  return { key: await authenticateByAuthToken(ctx, allowUserToken), claims: undefined };
}

async function authenticateByTicket(ctx: RequestContext, ticket: string) {
  const claims = await redeemStreamTicket({ ...ctx, ...ctx.gate }, ticket);
  return { key: await findKeyOfToken(credentialsDatabase(ctx, claims.tenantId), claims), claims };
}

async function authenticateByAuthToken(
  ctx: RequestContext,
  allowUserToken: boolean,
): Promise<KeyRow> {
  const apiKey = ctx.header(HEADERS.apiKey);
  const token = ctx.header(HEADERS.authToken);
  if (!apiKey || !token) throw denied(missingKeyMessage(ctx, allowUserToken));
  const found = await ctx.gate.credentials.get(`key ${apiKey}\n${token}`, () =>
    findKeyByAuthToken(ctx, apiKey, token),
  );
  if (!found) throw countFailure(ctx, 'apiKey', apiKey, wrongKeyMessage(ctx));
  return found.key;
}

async function findKeyByAuthToken(ctx: RequestContext, apiKey: string, token: string) {
  // The index compares hashes, so the response time reveals nothing about the token.
  const [key] = await credentialsDatabase(ctx, apiKey).query<KeyRow>(sql`
    SELECT ${keyColumns}
    FROM auth_tokens /* credentials */ t JOIN api_keys k ON k.id = t.tenant_id
    WHERE t.tenant_id = ${apiKey} AND t.hash = ${sha256(token)}`);
  return key && { key, owners: ownersOf(key) };
}

async function authenticateByUserToken(
  ctx: RequestContext,
  token: string,
  allowUserToken: boolean,
) {
  const found = await ctx.gate.credentials.get(`user ${token}`, async () => {
    const { secrets, clock, gate } = ctx;
    const claims = await checkUserToken({ secrets, clock, ...gate }, token, ctx.address());
    const key = await findKeyOfToken(credentialsDatabase(ctx, claims.tenantId), claims);
    return { claims, key, owners: ownersOf(key) };
  });
  // The token may have expired since its claims were cached.
  if (!found || found.claims.expiresAt <= unixSeconds(ctx.clock))
    throw tokenRefused('TOKEN_EXPIRED');
  const apiKey = ctx.header(HEADERS.apiKey);
  if (apiKey !== undefined && apiKey !== found.key.tenantId) throw tokenRefused('TOKEN_INVALID');
  if (!allowUserToken) {
    throw denied(
      `This operation needs the headers ${HEADERS.apiKey} and ${HEADERS.authToken}. A user token is not enough.`,
    );
  }
  return found;
}

/**
 * Verifies a user token like `verifyUserToken`. An invalid token counts as a failed attempt; an
 * expired one does not.
 *
 * @throws RESOURCE_EXHAUSTED after too many failed attempts
 */
export async function checkUserToken(
  services: Pick<Services, 'secrets' | 'clock'> & Pick<Gate, 'failedCredentials'>,
  token: string,
  address: string,
): Promise<UserClaims> {
  try {
    return await verifyUserToken(services.secrets, services.clock, token);
  } catch (error) {
    if (!(error instanceof AppError) || error.credentialsReason !== 'TOKEN_INVALID') throw error;
    const attempt = { address, level: 'userToken', key: claimedKey(token) } as const;
    const message = malformedTokenMessage(token);
    const failure = message ? tokenRefused('TOKEN_INVALID', message) : error;
    throw services.failedCredentials.refuse(attempt, failure);
  }
}

/**
 * Returns the settings of the key that a user token names, if the era of the token is current. An
 * era ends when the user is deleted or the auth token of the key is reset.
 *
 * @throws PERMISSION_DENIED (TOKEN_REVOKED; TOKEN_INVALID for a key that this server does not know)
 */
export async function findKeyOfToken(
  db: Queryable,
  { tenantId, userId, era }: UserClaims,
): Promise<KeyRow> {
  const [found] = await db.query<KeyRow & { era: string | null }>(sql`
    SELECT ${keyColumns}, CASE WHEN u.user_id IS NOT NULL THEN ${currentTokenEra} END AS era
    FROM api_keys /* credentials */ k LEFT JOIN users u ON u.tenant_id = k.id AND u.user_id = ${userId}
    WHERE k.id = ${tenantId}`);
  if (!found) throw tokenRefused('TOKEN_INVALID');
  const { era: currentEra, ...key } = found;
  if (currentEra !== era) throw tokenRefused('TOKEN_REVOKED');
  return key;
}
