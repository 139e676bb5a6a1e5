import { mergeItems, outcomeMap, succeeded } from '../../api/batches.ts';
import type { KeyContext } from '../../api/context.ts';
import { metadataOf, requireSmallMetadata } from '../../api/fields.ts';
import { mapInChunks } from '../../platform/chunks.ts';
import { type Sql, sql, type Transaction } from '../../platform/database/database.ts';
import { pipeline } from '../../platform/database/pipeline.ts';
import { isActiveGrant, isGrantOn } from '../access/active-grant.ts';
import { type NamedPlace, resourceOf } from '../access/places.ts';
import { USER_FIELDS, type UserInput, type UsersInput } from '../access/users/schema.ts';
import { initialOf, presentUser, type UserRow, userEvent } from '../access/users/users.ts';
import { addMissingDocument } from '../directory/documents/add-documents.ts';
import { lockPlace, requireLockedDocument } from '../directory/documents/lock-document.ts';
import { loadTargetChain } from '../directory/folders/folders.ts';
import { ensureOrganization } from '../directory/organizations/organizations.ts';

/**
 * Adds users to an organization, folder or document (specification 4.22). A missing organization or
 * document is created; a missing folder is refused.
 */
export function addUsers(ctx: KeyContext, { users, ...place }: UsersInput) {
  const batch = mergeItems(users, (user) => user.userId);
  return ctx.db.transaction(async (tx) => {
    const locking = pipeline([
      ensureOrganization(ctx, tx, place.organizationId),
      lockTarget(ctx, tx, place),
    ]);
    // A document must be locked before the users, and a missing one must be created before that.
    if (place.documentId !== undefined) await locking;
    const [, upserted] = await pipeline([locking, upsertUsers(ctx, tx, place, batch)]);
    const events = upserted.values().map((user) => {
      if (user.added) return userEvent('user.add', place, presentUser(user));
      const previous = user.previous && { previous: presentUser(user.previous) };
      return userEvent('user.update', place, { ...presentUser(user), ...previous });
    });
    await ctx.events.append(tx, ctx.tenantId, events);
    return outcomeMap(
      upserted.map(({ userId, added }) =>
        succeeded(userId, added ? 'User added.' : 'User updated.'),
      ),
    );
  });
}

/** Locks the document or folder against deletion. A missing document is created first. */
async function lockTarget(ctx: KeyContext, tx: Transaction, place: NamedPlace): Promise<void> {
  const { organizationId, folderId, documentId } = place;
  if (documentId !== undefined) {
    await addMissingDocument(ctx, tx, { organizationId, documentId });
    await requireLockedDocument(tx, ctx.tenantId, { organizationId, documentId });
  } else if (folderId !== undefined) {
    await pipeline([
      lockPlace(tx, ctx.tenantId, place),
      // Refuses a folder that is being deleted in the background, since the grants would be deleted with it.
      loadTargetChain(tx, ctx.tenantId, organizationId, folderId),
    ]);
  }
}

/** A user after the write, with the role on the place. */
interface UpsertedUser extends UserRow {
  /** Whether the user had no role on the place before. */
  added: boolean;
  /** The user before the write, with the former role. Null if this call or a concurrent one added the user. */
  previous: UserRow | null;
}

/**
 * Adds users to a place, or updates the given fields of existing ones, in one statement. Without a
 * given role, new users get the key's default, and existing users keep their role and its expiry. A given role
 * does not expire. An expired role counts as none, and its access context is removed, so that a new role does
 * not restore it. An unchanged name keeps an initial that was set explicitly.
 *
 * In the statement, `former` has the users who had a grant on the place, as they were, and `upserted` has
 * all users as they are now. The joins with `input` write users in the order of ids and before their grants,
 * which prevents deadlocks.
 *
 * @throws INVALID_ARGUMENT if a user's merged metadata is too large
 */
async function upsertUsers(
  { tenantId, clock, key }: KeyContext,
  tx: Transaction,
  place: NamedPlace,
  users: UserInput[],
): Promise<UpsertedUser[]> {
  const { type, id } = resourceOf(place);
  const isActive = isActiveGrant(sql`grants`, clock);
  /** SQL that grants `role`, or applies `changes` to existing grants. `xmax` is 0 in a new row. */
  const upsertGrants = (role: Sql, condition: Sql, changes: Sql) => sql`
    INSERT INTO grants
      (tenant_id, organization_id, resource_type, resource_id, user_id, access_role)
    SELECT ${tenantId}, ${place.organizationId}, ${type}, ${id}, user_id, ${role}
    FROM upserted JOIN input USING (user_id) WHERE ${condition}
    ON CONFLICT (tenant_id, organization_id, resource_type, resource_id, user_id) DO UPDATE SET
      ${changes}, context = CASE WHEN ${isActive} THEN grants.context END
    RETURNING user_id, access_role, xmax = 0 AS added`;
  // Users with and without a given role are written by separate parts of the statement. A single part would
  // have to look up the given role of each user, in quadratic time.
  const withRole = upsertGrants(
    sql`access_role`,
    sql`access_role IS NOT NULL`,
    sql`access_role = excluded.access_role, expires_at = NULL`,
  );
  const withoutRole = upsertGrants(
    sql`${key.defaultAccessRole}`,
    sql`access_role IS NULL`,
    sql`access_role = CASE WHEN ${isActive} THEN grants.access_role ELSE excluded.access_role END,
      expires_at = CASE WHEN ${isActive} THEN grants.expires_at END`,
  );
  const upserted = await tx.query<UpsertedUser>(sql`
    WITH input AS (
      SELECT * FROM jsonb_to_recordset(${JSON.stringify(users.map(toRow))}::jsonb) AS u(
        user_id text, name text, email text, initial text, gives_initial boolean,
        access_role text, metadata jsonb)
      ORDER BY user_id
    ), former AS (
      SELECT user_id, ${isActive} AS active, jsonb_build_object('userId', user_id,
        'name', u.name, 'email', u.email, 'initial', u.initial, 'metadata', u.metadata,
        'accessRole', grants.access_role) AS person
      FROM input CROSS JOIN LATERAL (
        SELECT access_role, expires_at FROM grants
        WHERE tenant_id = ${tenantId} AND ${isGrantOn(sql`grants`, place)}
          AND user_id = input.user_id OFFSET 0
      ) AS grants CROSS JOIN LATERAL (
        SELECT name, email, initial, metadata FROM users
        WHERE tenant_id = ${tenantId} AND user_id = input.user_id OFFSET 0
      ) AS u
    ), upserted AS (
      INSERT INTO users (tenant_id, user_id, name, email, initial, metadata)
      SELECT ${tenantId}, user_id, name, email, initial, metadata FROM input
      ON CONFLICT (tenant_id, user_id) DO UPDATE SET
        name = COALESCE(excluded.name, users.name),
        email = COALESCE(excluded.email, users.email),
        initial = COALESCE(
          CASE WHEN users.name = excluded.name
            AND users.user_id NOT IN (SELECT user_id FROM input WHERE gives_initial)
          THEN users.initial END, excluded.initial, users.initial),
        metadata = users.metadata || excluded.metadata,
        updated_at = now()
      RETURNING user_id, name, email, initial, metadata
    ), with_role AS (${withRole}), without_role AS (${withoutRole})
    SELECT user_id AS "userId", name, email, initial, metadata, access_role AS "accessRole",
           added OR former.active IS FALSE AS added,
           CASE WHEN former.active THEN former.person END AS previous
    FROM upserted JOIN (TABLE with_role UNION ALL TABLE without_role) AS granted USING (user_id)
      LEFT JOIN former USING (user_id)`);
  await mapInChunks(upserted, ({ userId, metadata }) =>
    requireSmallMetadata(userId, metadata, 'users'),
  );
  return upserted;
}

function toRow(user: UserInput) {
  return {
    user_id: user.userId,
    name: user.name,
    email: user.email,
    initial: user.initial ?? (user.name === undefined ? undefined : initialOf(user.name)),
    gives_initial: user.initial !== undefined,
    access_role: user.accessRole,
    metadata: metadataOf(user, USER_FIELDS),
  };
}
