import { z } from 'zod';
import { outcomesOf } from '../../api/batches.ts';
import type { KeyContext, RequestContext } from '../../api/context.ts';
import { issueStreamTicket } from '../../api/credentials/stream-tickets.ts';
import { expiryOf, signUserToken, type UserClaims } from '../../api/credentials/user-tokens.ts';
import { agentIdentity, email, id, idList, name } from '../../api/fields.ts';
import { sql, type Transaction } from '../../platform/database/database.ts';
import { pipeline } from '../../platform/database/pipeline.ts';
import { AppError } from '../../platform/errors.ts';
import { initialOf } from '../access/users/users.ts';
import { endTokens } from '../users/end-tokens.ts';
import { grantResources, joinOrganizations } from './grants.ts';
import { organizationOf, resourceGrant } from './schema.ts';

export const GenerateToken = z.object({
  userId: id,
  userProperties: z
    .object({ name: name.optional(), email: email.optional(), isAdmin: z.boolean().optional() })
    .default({}),
  permissions: z.object({ resources: z.array(resourceGrant).max(1000).default([]) }).optional(),
  organizations: idList().default([]).meta({
    description:
      'For keys with requireAutoOrgUser: organizations to which the user is added, in addition to those of `permissions.resources`.',
  }),
  agent: agentIdentity.optional().meta({
    description:
      'The agent that uses this token. It is shown with the content that the token writes.',
  }),
});
type GenerateTokenInput = z.infer<typeof GenerateToken>;

/**
 * Issues a token with which a frontend acts as a user for 48 hours. The user is created or updated
 * with the given properties, and gets the given roles. The token contains neither properties nor roles, but
 * it names the agent that uses it, since each agent has its own token.
 */
export async function generateToken(ctx: KeyContext, input: GenerateTokenInput) {
  const { userId, agent } = input;
  const resources = input.permissions?.resources ?? [];
  const epoch = await ctx.db.transaction(async (tx) => {
    const [tokenEpoch] = await pipeline([
      upsertUser(ctx, tx, input),
      grantResources(ctx, tx, userId, resources),
    ]);
    const named = [...input.organizations, ...resources.map(organizationOf)];
    await joinOrganizations(ctx, tx, userId, [...new Set(named)]);
    return tokenEpoch;
  });
  const { tenantId, key } = ctx;
  // A token is valid in one era: a generation of the key's tokens and an epoch of the user's tokens. The
  // generation comes from the verified credentials, so that a reset during this call also revokes the token.
  const era = `${key.tokenGeneration}.${epoch}`;
  const token = await signUserToken(ctx.secrets, ctx.clock, { tenantId, userId, era, agent });
  return { token, expiresAt: expiryOf(token) };
}

/**
 * Creates or updates the user. An initial that was set explicitly stays unless the name changes: tokens are
 * requested often, mostly with the same name.
 *
 * @returns the epoch of the user's tokens
 */
async function upsertUser(
  ctx: KeyContext,
  tx: Transaction,
  { userId, userProperties }: GenerateTokenInput,
): Promise<string> {
  const { name, email, isAdmin } = userProperties;
  const initial = name === undefined ? null : initialOf(name);
  const metadata = isAdmin === undefined ? {} : { isAdmin };
  const [user] = await tx.query<{ epoch: string }>(sql`
    INSERT INTO users (tenant_id, user_id, name, email, initial, metadata)
    VALUES (${ctx.tenantId}, ${userId}, ${name ?? null}, ${email ?? null}, ${initial}, ${metadata})
    ON CONFLICT (tenant_id, user_id) DO UPDATE SET
      name = COALESCE(excluded.name, users.name),
      email = COALESCE(excluded.email, users.email),
      initial = CASE WHEN excluded.name = users.name
        THEN COALESCE(users.initial, excluded.initial)
        ELSE COALESCE(excluded.initial, users.initial) END,
      metadata = users.metadata || excluded.metadata,
      updated_at = now()
    RETURNING COALESCE(token_epoch::text, '') AS epoch`);
  return user?.epoch ?? '';
}

/**
 * Issues a ticket for the user token of the call.
 *
 * @throws FAILED_PRECONDITION for an API key, which sends its credentials in headers
 */
export function generateStreamTicket(ctx: RequestContext & { claims: UserClaims | undefined }) {
  if (ctx.claims) return issueStreamTicket(ctx, ctx.claims);
  throw new AppError(
    'FAILED_PRECONDITION',
    'A stream ticket is issued for a user token: send "authorization: Bearer <user token>".',
  );
}

/** Unknown fields are refused: users in a misspelt field would keep their tokens, unnoticed. */
export const RevokeTokens = z.strictObject({ userIds: z.array(id).min(1).max(30) });

/** Revokes all tokens of each user, and closes connections opened with them. The users keep their roles. */
export async function revokeTokens(
  { db, tenantId }: KeyContext,
  { userIds }: z.infer<typeof RevokeTokens>,
) {
  const known = await db.transaction((tx) => endTokens(tx, tenantId, userIds));
  return outcomesOf(userIds, known, 'Tokens revoked.', 'User does not exist.');
}
