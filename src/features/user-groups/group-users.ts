import { outcomesOf } from '../../api/batches.ts';
import type { KeyContext } from '../../api/context.ts';
import type { ItemOutcome } from '../../api/fields.ts';
import { sql } from '../../platform/database/database.ts';
import { invalidArgument } from '../../platform/errors.ts';
import { lockExistingUsers } from '../access/users/users.ts';
import { requireOrganization } from '../directory/organizations/organizations.ts';
import type { AddGroupUsersInput, DeleteGroupUsersInput, MemberOutcome } from './schema.ts';
import { saveGroups, USER_GROUPS, userGroupEvent } from './user-groups.ts';

type MemberOutcomes = Record<string, MemberOutcome>;

/** Adds users to a group, which is created if it is missing (specification 4.13). Users are not created. */
export function addGroupUsers(
  ctx: KeyContext,
  { organizationId, organizationUserGroupId, userIds }: AddGroupUsersInput,
): Promise<MemberOutcomes> {
  return ctx.db.transaction(async (tx) => {
    await requireOrganization(tx, ctx.tenantId, organizationId);
    const row = { organizationId, groupId: organizationUserGroupId, metadata: {} };
    // This locks the group, so that calls for it run one after the other. An existing group is not changed.
    const updatedAt = sql`user_groups.updated_at`;
    const [group] = await saveGroups(ctx, tx, [row], updatedAt);
    if (!group) throw new Error('An upsert of a user group gave no row.');
    const known = await lockExistingUsers(tx, ctx.tenantId, userIds);
    // Inserting in the order of ids prevents deadlocks.
    const added = await tx.query<{ userId: string }>(sql`
      INSERT INTO user_group_members (tenant_id, organization_id, group_id, user_id)
      SELECT ${ctx.tenantId}, ${organizationId}, ${organizationUserGroupId}, user_id
      FROM unnest(${[...known]}::text[]) AS user_id
      ORDER BY user_id
      ON CONFLICT DO NOTHING RETURNING user_id AS "userId"`);
    const addedIds = new Set(added.map((row) => row.userId));
    if (group.added || addedIds.size > 0) {
      const type = group.added ? 'user_group.add' : 'user_group.update';
      const event = userGroupEvent(type, group, { addedUserIds: [...addedIds].sort() });
      await ctx.events.append(tx, ctx.tenantId, [event]);
    }
    const messageOf = (userId: string) =>
      addedIds.has(userId) ? 'User added to the group.' : 'User is already in the group.';
    const outcomes = outcomesOf(userIds, known, messageOf, UNKNOWN_USER);
    return withGroup(organizationUserGroupId, outcomes);
  });
}

const groupNotFound = () =>
  invalidArgument('The user group does not exist. Add it first: userGroups.add.', {
    reason: 'group_not_found',
  });

const UNKNOWN_USER = 'User does not exist.';

/**
 * Removes some or all users from a group (specification 4.11).
 *
 * @throws INVALID_ARGUMENT (organization_not_found, group_not_found)
 */
export function deleteGroupUsers(ctx: KeyContext, input: DeleteGroupUsersInput) {
  const { organizationId, organizationUserGroupId: groupId, userIds, deleteAll } = input;
  return ctx.db.transaction(async (tx) => {
    await requireOrganization(tx, ctx.tenantId, organizationId);
    const place = { tenantId: ctx.tenantId, organizationId };
    const [group] = await USER_GROUPS.lock(tx, place, [{ groupId }]);
    if (!group) throw groupNotFound();
    const known = await lockExistingUsers(tx, ctx.tenantId, userIds);
    const deleted = await tx.query<{ userId: string }>(sql`
      DELETE FROM user_group_members
      WHERE tenant_id = ${ctx.tenantId} AND organization_id = ${organizationId}
        AND group_id = ${groupId} AND (${deleteAll} OR user_id = ANY(${userIds}))
      RETURNING user_id AS "userId"`);
    const deletedIds = deleted.map((row) => row.userId).sort();
    if (deletedIds.length > 0) {
      const event = userGroupEvent('user_group.update', group, { deletedUserIds: deletedIds });
      await ctx.events.append(tx, ctx.tenantId, [event]);
    }
    const refusalOf = (userId: string) =>
      known.has(userId) ? 'User is not in the group.' : UNKNOWN_USER;
    const named = [...userIds, ...deletedIds];
    const outcomes = outcomesOf(named, deletedIds, 'User deleted from the group.', refusalOf);
    return withGroup(groupId, outcomes);
  });
}

/** Returns the outcomes with the id of the group in place of the user's id. */
const withGroup = (
  organizationUserGroupId: string,
  outcomes: Record<string, ItemOutcome>,
): MemberOutcomes =>
  Object.fromEntries(
    Object.values(outcomes).map(({ id, success, message }) => [
      id,
      { success, organizationUserGroupId, message },
    ]),
  );
