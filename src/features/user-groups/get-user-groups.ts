import type { KeyContext } from '../../api/context.ts';
import { readPage, rowsAmong } from '../../api/paging.ts';
import { mapInChunks } from '../../platform/chunks.ts';
import { sql } from '../../platform/database/database.ts';
import { requireReadableOrganization } from '../directory/organizations/organizations.ts';
import { type GetUserGroupsInput, namedGroups, type PresentedUserGroup } from './schema.ts';
import { presentUserGroup, USER_GROUPS, type UserGroupRow } from './user-groups.ts';

interface GroupRow extends UserGroupRow {
  memberCount: number;
  userIds: string[] | null;
}

/**
 * Returns a page of an organization's user groups, ordered by id, with member counts. Member ids
 * are included only if the request names the groups, since a page may have a thousand groups.
 */
export async function getUserGroups(ctx: KeyContext, input: GetUserGroupsInput) {
  const { tenantId } = ctx;
  const { organizationId, pageSize, pageToken } = input;
  const groupIds = namedGroups(input);
  const filters = { organizationId, groupIds };
  const query = { operation: 'userGroups.get', filters, pageSize, pageToken };
  const { table, columns, idColumn, idOf } = USER_GROUPS;
  const where = sql`tenant_id = ${tenantId} AND organization_id = ${organizationId}`;
  const members =
    groupIds.length > 0
      ? sql`COALESCE(array_agg(user_id ORDER BY user_id), '{}')`
      : sql`NULL::text[]`;
  const { rows, nextPageToken } = await readPage(ctx, query, [idColumn, idOf], (endOfQuery) =>
    ctx.db.query<GroupRow>(sql`
      SELECT ${columns}, "memberCount", "userIds"
      FROM ${rowsAmong({ table, where, idColumn }, groupIds)} g CROSS JOIN LATERAL (
        SELECT count(*)::int AS "memberCount", ${members} AS "userIds"
        FROM user_group_members m
        WHERE m.tenant_id = ${tenantId} AND m.organization_id = ${organizationId}
          AND m.group_id = g.group_id
      ) AS members
      WHERE true ${endOfQuery}`),
  );
  // An empty page may mean that the organization does not exist.
  if (rows.length === 0) await requireReadableOrganization(ctx.db, tenantId, organizationId);
  return { data: await mapInChunks(rows, presentGroup), nextPageToken };
}

const presentGroup = (row: GroupRow): PresentedUserGroup => ({
  ...presentUserGroup(row),
  memberCount: row.memberCount,
  ...(row.userIds !== null && { userIds: row.userIds }),
});
