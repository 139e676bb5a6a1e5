import type { KeyContext, Services } from '../../api/context.ts';
import { sql, type Transaction } from '../../platform/database/database.ts';
import { initialOf } from '../users/initial.ts';
import { presentUser, type UserRow } from '../users/present-user.ts';
import { userEvent } from '../users/user-event.ts';

/** A user as somebody names one: the author of a comment, who is mentioned or notified. */
export interface NamedUser {
  userId: string;
  name?: string | undefined;
  email?: string | undefined;
}

interface Member {
  tenantId: string;
  organizationId: string;
  userId: string;
}

/**
 * For keys with `requireAutoOrgUser` (decisions section 5): a user who comes with a user token is
 * added to the organization when missing, as an editor like anybody added without a role. Where
 * there was a grant that has ended it stays ended.
 */
export async function addMissingUser(
  { db, events }: Pick<Services, 'db' | 'events'>,
  { tenantId, organizationId, userId }: Member,
): Promise<void> {
  await db.transaction((tx) =>
    addToOrganization({ events, tenantId }, tx, organizationId, [userId]),
  );
}

/**
 * For keys with `requireAutoOrgUser`: those who are named as author or recipient are added to the
 * organization when missing. Two statements and an event for each who is new, however many; for
 * other keys, none. What is known of a user is not changed.
 */
export async function addMissingUsers(
  ctx: KeyContext,
  tx: Transaction,
  organizationId: string,
  users: NamedUser[],
): Promise<void> {
  if (!ctx.key.requireAutoOrgUser || users.length === 0) return;
  const rows = users.map(({ userId, name, email }) => ({
    user_id: userId,
    name,
    email,
    initial: name === undefined ? undefined : initialOf(name),
  }));
  // In the order of ids, so that two calls with the same users cannot wait for each other.
  await tx.query(sql`
    INSERT INTO users (tenant_id, user_id, name, email, initial)
    SELECT DISTINCT ON (user_id) ${ctx.tenantId}, user_id, name, email, initial
    FROM jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) AS named(
      user_id text, name text, email text, initial text)
    ORDER BY user_id
    ON CONFLICT DO NOTHING`);
  const userIds = users.map((user) => user.userId);
  await addToOrganization(ctx, tx, organizationId, userIds);
}

/** Those who exist and have no grant on the organization get one. */
async function addToOrganization(
  { events, tenantId }: Pick<KeyContext, 'events' | 'tenantId'>,
  tx: Transaction,
  organizationId: string,
  userIds: string[],
): Promise<void> {
  const added = await tx.query<UserRow>(sql`
    WITH granted AS (
      INSERT INTO grants
        (tenant_id, organization_id, resource_type, resource_id, user_id, access_role)
      SELECT u.tenant_id, o.organization_id, 'organization', o.organization_id, u.user_id, 'editor'
      FROM users u JOIN organizations o ON o.tenant_id = u.tenant_id
      WHERE u.tenant_id = ${tenantId} AND u.user_id = ANY(${userIds})
        AND o.organization_id = ${organizationId}
      ORDER BY u.user_id
      ON CONFLICT DO NOTHING
      RETURNING tenant_id, user_id, access_role
    )
    SELECT user_id AS "userId", name, email, initial, metadata, access_role AS "accessRole"
    FROM granted JOIN users USING (tenant_id, user_id)`);
  const place = {
    organizationId,
    resourceType: 'organization',
    resourceId: organizationId,
  } as const;
  const told = added.map((user) => userEvent('user.add', place, user.userId, presentUser(user)));
  await events.append(tx, tenantId, told);
}
