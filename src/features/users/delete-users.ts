import { outcomesOf } from '../../api/batches.ts';
import type { KeyContext } from '../../api/context.ts';
import { empty, type Sql, sql, type Transaction } from '../../platform/database/database.ts';
import { pipeline } from '../../platform/database/pipeline.ts';
import type { Dependents } from '../../platform/erasure/dependent-rows.ts';
import { isActiveGrant } from '../access/active-grant.ts';
import { type NamedPlace, resourceOf } from '../access/places.ts';
import type { DeleteUsersInput } from '../access/users/schema.ts';
import { presentUser, userEvent } from '../access/users/users.ts';
import { lockUsers } from './lock-users.ts';

type Context = KeyContext & { dependents: Dependents };

/**
 * Removes users from an organization, with all their roles and groups in it, or from the named
 * folder or document. Users without any remaining role or group are deleted, which revokes their
 * user tokens.
 */
export function deleteUsers(ctx: Context, { userIds, ...place }: DeleteUsersInput) {
  const distinctIds = [...new Set(userIds)];
  const { type } = resourceOf(place);
  const isOrganization = type === 'organization';
  return ctx.db.transaction(async (tx) => {
    const known = await lockUsers(ctx, tx, place, distinctIds);
    const removed = await removeRoles(ctx, tx, place, [...known.keys()]);
    // Users who had no role in this organization are candidates, too: they may have no role anywhere.
    const candidates = isOrganization ? [...known.keys()] : [...removed];
    const [deleted] = await pipeline([
      deleteWithoutRoles(ctx, tx, candidates),
      ...(isOrganization ? removeDependents(ctx, tx, place, candidates) : []),
    ]);
    const affected = [...known.values()].filter(
      ({ userId }) => removed.has(userId) || deleted.has(userId),
    );
    const events = affected
      .values()
      .map((user) => userEvent('user.delete', place, presentUser(user)));
    await ctx.events.append(tx, ctx.tenantId, events);
    return outcomesOf(distinctIds, idsOf(affected), 'User deleted.', (userId) =>
      known.has(userId) ? `User is not in this ${type}.` : 'User does not exist.',
    );
  });
}

interface UserRef {
  userId: string;
}

const idsOf = (rows: UserRef[]) => new Set(rows.map(({ userId }) => userId));

/**
 * Removes the users' roles on the resource; for an organization, all their roles and groups in it.
 *
 * @returns the ids of the users who had a role or a group
 */
async function removeRoles(ctx: KeyContext, tx: Transaction, place: NamedPlace, userIds: string[]) {
  const { type, id } = resourceOf(place);
  const isOrganization = type === 'organization';
  const onResource = isOrganization
    ? empty
    : sql`AND resource_type = ${type} AND resource_id = ${id}`;
  const rows = await tx.query<UserRef>(sql`
    WITH deleted_grants AS (
      DELETE FROM grants
      WHERE tenant_id = ${ctx.tenantId} AND organization_id = ${place.organizationId}
        AND user_id = ANY(${userIds}) ${onResource}
      RETURNING user_id
    ), left_groups AS (
      DELETE FROM user_group_members
      WHERE ${isOrganization} AND tenant_id = ${ctx.tenantId}
        AND organization_id = ${place.organizationId} AND user_id = ANY(${userIds})
      RETURNING user_id
    )
    SELECT user_id AS "userId" FROM deleted_grants UNION SELECT user_id FROM left_groups`);
  return idsOf(rows);
}

/** Removes the data that other features keep about members of an organization. */
const removeDependents = (
  { tenantId, dependents }: Context,
  tx: Transaction,
  { organizationId }: NamedPlace,
  userIds: string[],
) =>
  dependents.member.map((dependentRows) => {
    const isMember = (idColumn: Sql) =>
      sql`organization_id = ${organizationId} AND ${idColumn} = ANY(${userIds})`;
    return tx.query(dependentRows(tenantId, isMember));
  });

/** Deletes the users who have no active grant and no group. */
async function deleteWithoutRoles(ctx: KeyContext, tx: Transaction, userIds: string[]) {
  const rows = await tx.query<UserRef>(sql`
    DELETE FROM users u
    WHERE u.tenant_id = ${ctx.tenantId} AND u.user_id = ANY(${userIds})
      AND NOT EXISTS (
        SELECT 1 FROM grants g
        WHERE g.tenant_id = ${ctx.tenantId} AND g.user_id = u.user_id
          AND ${isActiveGrant(sql`g`, ctx.clock)})
      AND NOT EXISTS (
        SELECT 1 FROM user_group_members m
        WHERE m.tenant_id = ${ctx.tenantId} AND m.user_id = u.user_id)
    RETURNING u.user_id AS "userId"`);
  return idsOf(rows);
}
