import type { KeyContext } from '../../api/context.ts';
import { metadataOf, requireSmallMetadata } from '../../api/fields.ts';
import { mapInChunks } from '../../platform/chunks.ts';
import { type Sql, sql, type Transaction } from '../../platform/database/database.ts';
import { isActiveGrant } from '../access/active-grant.ts';
import { initialOf } from '../access/users/initial.ts';
import type { UserRow } from '../access/users/present-user.ts';
import { USER_FIELDS, type UserInput } from '../access/users/schema.ts';
import type { GrantPlace } from '../access/users/user-event.ts';

/** A user after the write, with the role on the place. */
export interface UpsertedUser extends UserRow {
  /** Whether the user had no role on the place before. */
  added: boolean;
}

/**
 * Adds users to a place, or updates the given fields of existing ones, in one statement. Without a
 * given role, new users get the key's default and existing users keep theirs; an expired role
 * counts as none.
 *
 * @throws INVALID_ARGUMENT when a user's merged metadata is too large
 */
export async function upsertUsers(
  ctx: KeyContext,
  tx: Transaction,
  place: GrantPlace,
  users: UserInput[],
): Promise<UpsertedUser[]> {
  const rows = JSON.stringify(users.map(toRow));
  const { tenantId } = ctx;
  // Given roles and kept roles are separate sets, since deciding for each user would take quadratic
  // time. The joins write users in the order of ids and before their grants, which prevents
  // deadlocks.
  const upserted = await tx.query<UpsertedUser>(sql`
    WITH input AS (
      SELECT * FROM jsonb_to_recordset(${rows}::jsonb) AS u(
        user_id text, name text, email text, initial text, access_role text, metadata jsonb)
      ORDER BY user_id
    ), ended AS (
      SELECT user_id FROM grants JOIN input USING (user_id)
      WHERE tenant_id = ${tenantId} AND organization_id = ${place.organizationId}
        AND resource_type = ${place.resourceType} AND resource_id = ${place.resourceId}
        AND NOT ${isActiveGrant(sql`grants`, ctx.clock)}
    ), upserted AS (
      INSERT INTO users (tenant_id, user_id, name, email, initial, metadata)
      SELECT ${tenantId}, user_id, name, email, initial, metadata FROM input
      ON CONFLICT (tenant_id, user_id) DO UPDATE SET
        name = COALESCE(excluded.name, users.name),
        email = COALESCE(excluded.email, users.email),
        initial = COALESCE(excluded.initial, users.initial),
        metadata = users.metadata || excluded.metadata,
        updated_at = now()
      RETURNING user_id, name, email, initial, metadata
    ), with_role AS (
      INSERT INTO grants
        (tenant_id, organization_id, resource_type, resource_id, user_id, access_role)
      SELECT ${tenantId}, ${place.organizationId}, ${place.resourceType}, ${place.resourceId},
             user_id, access_role
      FROM upserted JOIN input USING (user_id) WHERE access_role IS NOT NULL
      ON CONFLICT (tenant_id, organization_id, resource_type, resource_id, user_id) DO UPDATE SET
        access_role = excluded.access_role, expires_at = NULL, context = ${contextAfter(ctx)}
      RETURNING user_id, access_role, xmax = 0 AS added
    ), without_role AS (
      INSERT INTO grants
        (tenant_id, organization_id, resource_type, resource_id, user_id, access_role)
      SELECT ${tenantId}, ${place.organizationId}, ${place.resourceType}, ${place.resourceId},
             user_id, ${ctx.key.defaultAccessRole}
      FROM upserted JOIN input USING (user_id) WHERE access_role IS NULL
      ON CONFLICT (tenant_id, organization_id, resource_type, resource_id, user_id) DO UPDATE SET
        access_role = CASE WHEN ${isActiveGrant(sql`grants`, ctx.clock)}
          THEN grants.access_role ELSE excluded.access_role END,
        expires_at = NULL, context = ${contextAfter(ctx)}
      RETURNING user_id, access_role, xmax = 0 AS added
    )
    SELECT user_id AS "userId", name, email, initial, metadata, access_role AS "accessRole",
           added OR user_id IN (TABLE ended) AS added
    FROM upserted JOIN (TABLE with_role UNION ALL TABLE without_role) AS granted USING (user_id)`);
  await mapInChunks(upserted, ({ userId, metadata }) =>
    requireSmallMetadata(userId, metadata, 'users'),
  );
  return upserted;
}

/** The access context of an expired role is removed, so that it is not restored with a new role. */
const contextAfter = ({ clock }: KeyContext): Sql =>
  sql`CASE WHEN ${isActiveGrant(sql`grants`, clock)} THEN grants.context END`;

function toRow(user: UserInput) {
  return {
    user_id: user.userId,
    name: user.name,
    email: user.email,
    initial: user.initial ?? (user.name === undefined ? undefined : initialOf(user.name)),
    access_role: user.accessRole,
    metadata: metadataOf(user, USER_FIELDS),
  };
}
