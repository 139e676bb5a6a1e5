import type { KeyContext } from '../../api/context.ts';
import { sql } from '../../platform/database/database.ts';

interface Member {
  tenantId: string;
  organizationId: string;
  userId: string;
}

/**
 * For keys with `requireAutoOrgUser` (decisions section 5): a user who comes with a user token is
 * added to the organization when missing, as an editor like anybody added without a role.
 */
export async function addMissingUser(
  { db, events }: Pick<KeyContext, 'db' | 'events'>,
  { tenantId, organizationId, userId }: Member,
): Promise<void> {
  await db.transaction(async (tx) => {
    const [added] = await tx.query<{ name: string | null; email: string | null }>(sql`
      WITH granted AS (
        INSERT INTO grants
          (tenant_id, organization_id, resource_type, resource_id, user_id, access_role)
        SELECT u.tenant_id, o.organization_id, 'organization', o.organization_id, u.user_id, 'editor'
        FROM users u JOIN organizations o USING (tenant_id)
        WHERE u.tenant_id = ${tenantId} AND u.user_id = ${userId}
          AND o.organization_id = ${organizationId}
        ON CONFLICT DO NOTHING RETURNING tenant_id, user_id
      )
      SELECT name, email FROM granted JOIN users USING (tenant_id, user_id)`);
    if (!added) return;
    const known = Object.entries({ userId, ...added }).filter(([, value]) => value !== null);
    await events.append(tx, tenantId, [
      {
        type: 'user.add',
        organizationId,
        channels: [`organization:${organizationId}`, `user:${userId}`],
        data: { ...Object.fromEntries(known), accessRole: 'editor' },
      },
    ]);
  });
}
