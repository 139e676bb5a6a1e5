import { failed, mergeItems, outcomeMap, succeeded } from '../../api/batches.ts';
import type { KeyContext } from '../../api/context.ts';
import { type ItemOutcome, metadataOf, requireSmallMetadata } from '../../api/fields.ts';
import { mapInChunks } from '../../platform/chunks.ts';
import { sql } from '../../platform/database/database.ts';
import { retryOnViolation } from '../../platform/database/lost-races.ts';
import { requireOrganization } from '../directory/organizations/organizations.ts';
import {
  type AddUserGroupsInput,
  type DeleteUserGroupsInput,
  GROUP_FIELDS,
  namedGroups,
} from './schema.ts';
import { type UserGroupRow, userGroupEvent } from './user-group-event.ts';

/**
 * Adds user groups. An existing group is updated with the given fields, since a group that was
 * created with its first member can be named in no other way.
 *
 * @throws INVALID_ARGUMENT when a group's merged metadata is too large
 */
export function addUserGroups(
  ctx: KeyContext,
  { organizationId, organizationUserGroups }: AddUserGroupsInput,
): Promise<Record<string, ItemOutcome>> {
  const batch = mergeItems(organizationUserGroups, (group) => group.groupId);
  return ctx.db.transaction(async (tx) => {
    const rows = batch.map((group) => ({
      group_id: group.groupId,
      group_name: group.groupName,
      metadata: metadataOf(group, GROUP_FIELDS),
    }));
    await requireOrganization(tx, ctx.tenantId, organizationId);
    // Inserting in the order of ids prevents deadlocks between batches with the same groups.
    const writing = tx.query<SavedGroup>(sql`
      INSERT INTO user_groups (tenant_id, organization_id, group_id, group_name, metadata)
      SELECT ${ctx.tenantId}, ${organizationId}, group_id, group_name, metadata
      FROM jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) AS input(
        group_id text, group_name text, metadata jsonb)
      ORDER BY group_id
      ON CONFLICT (tenant_id, organization_id, group_id) DO UPDATE SET
        group_name = COALESCE(excluded.group_name, user_groups.group_name),
        metadata = user_groups.metadata || excluded.metadata,
        updated_at = now()
      RETURNING group_id AS "groupId", group_name AS "groupName", metadata, xmax = 0 AS added`);
    const saved = await retryOnViolation(writing, ['user_groups_tenant_id_organization_id_fkey']);
    await mapInChunks(saved, ({ groupId, metadata }) =>
      requireSmallMetadata(groupId, metadata, 'organizationUserGroups'),
    );
    const events = saved
      .values()
      .map((group) =>
        userGroupEvent(group.added ? 'user_group.add' : 'user_group.update', organizationId, group),
      );
    await ctx.events.append(tx, ctx.tenantId, events);
    return outcomeMap(
      saved.map(({ groupId, added }) =>
        succeeded(groupId, added ? 'User group added.' : 'User group updated.'),
      ),
    );
  });
}

interface SavedGroup extends UserGroupRow {
  added: boolean;
}

/** Deletes user groups, but not their members. */
export function deleteUserGroups(
  ctx: KeyContext,
  input: DeleteUserGroupsInput,
): Promise<Record<string, ItemOutcome>> {
  const { organizationId } = input;
  const groupIds = namedGroups(input);
  return ctx.db.transaction(async (tx) => {
    await requireOrganization(tx, ctx.tenantId, organizationId);
    const deleted = await tx.query<UserGroupRow>(sql`
      WITH held AS MATERIALIZED (
        SELECT group_id FROM user_groups
        WHERE tenant_id = ${ctx.tenantId} AND organization_id = ${organizationId}
          AND group_id = ANY(${groupIds})
        ORDER BY group_id FOR UPDATE
      )
      DELETE FROM user_groups
      WHERE tenant_id = ${ctx.tenantId} AND organization_id = ${organizationId}
        AND group_id IN (SELECT group_id FROM held)
      RETURNING group_id AS "groupId", group_name AS "groupName", metadata`);
    const events = deleted
      .values()
      .map((group) => userGroupEvent('user_group.delete', organizationId, group));
    await ctx.events.append(tx, ctx.tenantId, events);
    const deletedIds = new Set(deleted.map((row) => row.groupId));
    return outcomeMap(
      groupIds.map((groupId) =>
        deletedIds.has(groupId)
          ? succeeded(groupId, 'User group deleted.')
          : failed(groupId, 'User group does not exist.'),
      ),
    );
  });
}
