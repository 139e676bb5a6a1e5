import type { KeyContext } from '../../api/context.ts';
import { sql, type Transaction } from '../../platform/database/database.ts';
import { retryOnViolation } from '../../platform/database/lost-races.ts';
import { initialOf, presentUser, type UserRow, userEvent } from './users/users.ts';

/** A user whom a caller names, e.g. as the author of a comment or the recipient of a notification. */
export interface NamedUser {
  userId: string;
  name?: string | undefined;
  email?: string | undefined;
}

/** Whether users whom the call names become members of the organization. */
export const addsMembers = ({ key, userId }: Pick<KeyContext, 'key' | 'userId'>): boolean =>
  userId === undefined && key.requireAutoOrgUser;

/**
 * Adds the users whom an API key names as authors or recipients to the organization, if the key has
 * `requireAutoOrgUser`. A user token adds nobody. Users who already exist keep their name and email. Runs two
 * statements for any number of users, and none without the setting.
 */
export async function ensureMembershipOfNamed(
  ctx: KeyContext,
  tx: Transaction,
  organizationId: string,
  users: NamedUser[],
): Promise<void> {
  if (!addsMembers(ctx) || users.length === 0) return;
  const rows = users.map(({ userId, name, email }) => ({
    user_id: userId,
    name,
    email,
    initial: name === undefined ? undefined : initialOf(name),
  }));
  // The order of ids keeps two calls with the same users from waiting for each other.
  await tx.query(sql`
    INSERT INTO users (tenant_id, user_id, name, email, initial)
    SELECT DISTINCT ON (user_id) ${ctx.tenantId}, user_id, name, email, initial
    FROM jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) AS named(
      user_id text, name text, email text, initial text)
    ORDER BY user_id
    ON CONFLICT DO NOTHING`);
  const userIds = users.map((user) => user.userId);
  await ensureMembership(ctx, tx, [organizationId], userIds);
}

/**
 * Gives existing users a grant on each organization in which they have none, and publishes `user.add` for
 * each new grant. A grant that has expired is not replaced.
 */
export async function ensureMembership(
  { events, tenantId, key }: Pick<KeyContext, 'events' | 'tenantId' | 'key'>,
  tx: Transaction,
  organizationIds: string[],
  userIds: string[],
): Promise<void> {
  const writing = tx.query<UserRow & { organizationId: string }>(sql`
    WITH granted AS (
      INSERT INTO grants
        (tenant_id, organization_id, resource_type, resource_id, user_id, access_role)
      SELECT u.tenant_id, o.organization_id, 'organization', o.organization_id, u.user_id,
             ${key.defaultAccessRole}
      FROM users u JOIN organizations o ON o.tenant_id = u.tenant_id
      WHERE u.tenant_id = ${tenantId} AND u.user_id = ANY(${userIds})
        AND o.organization_id = ANY(${organizationIds})
      ORDER BY o.organization_id, u.user_id
      ON CONFLICT DO NOTHING
      RETURNING tenant_id, organization_id, user_id, access_role
    )
    SELECT user_id AS "userId", name, email, initial, metadata, access_role AS "accessRole",
           organization_id AS "organizationId"
    FROM granted JOIN users USING (tenant_id, user_id)`);
  const added = await retryOnViolation(writing, [
    'grants_tenant_id_organization_id_fkey',
    'grants_tenant_id_user_id_fkey',
  ]);
  const additions = added.map(({ organizationId, ...user }) =>
    userEvent('user.add', { organizationId }, presentUser(user)),
  );
  await events.append(tx, tenantId, additions);
}
