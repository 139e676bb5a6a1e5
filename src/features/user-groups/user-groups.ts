import { mergeItems, outcomeMap, outcomesOf, succeeded } from '../../api/batches.ts';
import type { KeyContext } from '../../api/context.ts';
import { requireSmallMetadata } from '../../api/fields.ts';
import { mapInChunks } from '../../platform/chunks.ts';
import { sql, type Transaction } from '../../platform/database/database.ts';
import type { NewEvent } from '../../platform/events/event-log.ts';
import { requireOrganization } from '../directory/organizations/organizations.ts';
import { resourceKind } from '../directory/resources.ts';
import {
  type AddUserGroupsInput,
  type DeleteUserGroupsInput,
  namedGroups,
  type UserGroupInput,
  userGroup,
} from './schema.ts';

export interface UserGroupRow {
  organizationId: string;
  groupId: string;
  groupName: string | null;
  metadata: Record<string, unknown>;
}

export const USER_GROUPS = resourceKind<UserGroupRow, UserGroupInput>({
  noun: 'User group',
  table: 'user_groups',
  id: 'groupId',
  input: userGroup,
  columns: { organizationId: 'text', groupId: 'text', groupName: 'text', metadata: 'jsonb' },
  references: ['user_groups_tenant_id_organization_id_fkey'],
});

export const presentUserGroup = ({ groupId, groupName, metadata }: UserGroupRow) => ({
  ...metadata,
  groupId,
  groupName: groupName ?? groupId,
});

/** @param membership the added or removed users, if the event is about a change of members */
export const userGroupEvent = (
  type: 'user_group.add' | 'user_group.update' | 'user_group.delete',
  group: UserGroupRow,
  membership: { addedUserIds?: string[]; deletedUserIds?: string[] } = {},
): NewEvent => ({
  type,
  organizationId: group.organizationId,
  channels: [`organization:${group.organizationId}`],
  data: { ...presentUserGroup(group), ...membership },
});

interface SavedGroup extends UserGroupRow {
  /** Whether the group did not exist before: `xmax` is 0 only for an inserted row. */
  added: boolean;
}

/**
 * Creates missing groups, and updates the given fields of the others. Locks all of them.
 *
 * @param updatedAt SQL: the new `updated_at` of existing groups
 */
export function saveGroups(
  { tenantId }: KeyContext,
  tx: Transaction,
  rows: Array<Pick<UserGroupRow, 'organizationId' | 'groupId' | 'metadata'>>,
  updatedAt = sql`now()`,
): Promise<SavedGroup[]> {
  return USER_GROUPS.insert<SavedGroup>(
    tx,
    tenantId,
    rows,
    sql`(tenant_id, organization_id, group_id) DO UPDATE SET
      group_name = COALESCE(excluded.group_name, user_groups.group_name),
      metadata = user_groups.metadata || excluded.metadata, updated_at = ${updatedAt}
    RETURNING ${USER_GROUPS.columns}, xmax = 0 AS added`,
  );
}

/**
 * Adds user groups. An existing group is updated with the given fields, since a group that was
 * created with its first member has no other way to get a name.
 *
 * @throws INVALID_ARGUMENT if a group's merged metadata is too large
 */
export function addUserGroups(
  ctx: KeyContext,
  { organizationId, organizationUserGroups }: AddUserGroupsInput,
) {
  const rows = mergeItems(organizationUserGroups, USER_GROUPS.idOf).map((group) => {
    const { groupId, groupName } = group;
    return { organizationId, groupId, groupName, metadata: USER_GROUPS.metadataOf(group) };
  });
  return ctx.db.transaction(async (tx) => {
    await requireOrganization(tx, ctx.tenantId, organizationId);
    const saved = await saveGroups(ctx, tx, rows);
    await mapInChunks(saved, ({ groupId, metadata }) =>
      requireSmallMetadata(groupId, metadata, 'organizationUserGroups'),
    );
    const events = saved
      .values()
      .map((group) => userGroupEvent(group.added ? 'user_group.add' : 'user_group.update', group));
    await ctx.events.append(tx, ctx.tenantId, events);
    return outcomeMap(
      saved.map(({ groupId, added }) =>
        succeeded(groupId, added ? 'User group added.' : 'User group updated.'),
      ),
    );
  });
}

/** Deletes user groups, but not their members. */
export function deleteUserGroups(ctx: KeyContext, input: DeleteUserGroupsInput) {
  const { organizationId } = input;
  const groupIds = namedGroups(input);
  return ctx.db.transaction(async (tx) => {
    await requireOrganization(tx, ctx.tenantId, organizationId);
    const deleted = await tx.query<UserGroupRow>(sql`
      WITH locked AS MATERIALIZED (
        SELECT group_id FROM user_groups
        WHERE tenant_id = ${ctx.tenantId} AND organization_id = ${organizationId}
          AND group_id = ANY(${groupIds})
        ORDER BY group_id FOR UPDATE
      )
      DELETE FROM user_groups
      WHERE tenant_id = ${ctx.tenantId} AND organization_id = ${organizationId}
        AND group_id IN (SELECT group_id FROM locked)
      RETURNING ${USER_GROUPS.columns}`);
    const events = deleted.values().map((group) => userGroupEvent('user_group.delete', group));
    await ctx.events.append(tx, ctx.tenantId, events);
    const deletedIds = deleted.map(USER_GROUPS.idOf);
    return outcomesOf(groupIds, deletedIds, 'User group deleted.', 'User group does not exist.');
  });
}
