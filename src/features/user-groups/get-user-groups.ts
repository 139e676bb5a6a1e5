import type { KeyContext } from '../../api/context.ts';
import { pageOf, readPageToken, writePageToken } from '../../api/paging.ts';
import { mapInChunks } from '../../platform/chunks.ts';
import { empty, sql } from '../../platform/database/database.ts';
import { requireOrganization } from '../directory/organizations/organizations.ts';
import { type GetUserGroupsInput, namedGroups, type PresentedUserGroup } from './schema.ts';
import { presentUserGroup, type UserGroupRow } from './user-group-event.ts';

interface GroupRow extends UserGroupRow {
  memberCount: number;
  userIds: string[] | null;
}

/**
 * Returns a page of an organization's user groups, ordered by id, with member counts. Members are
 * included only for named groups, since a page may have a thousand groups.
 */
export async function getUserGroups(ctx: KeyContext, input: GetUserGroupsInput) {
  const { organizationId, pageSize, pageToken } = input;
  const groupIds = namedGroups(input);
  const filters = { organizationId, groupIds };
  const query = { operation: 'userGroups.get', tenantId: ctx.tenantId, filters };
  const [after] = readPageToken(ctx.secrets, query, pageToken) ?? [];

  const found = await selectGroups(ctx, input, groupIds, after);
  // An empty page may mean that the organization does not exist.
  if (found.length === 0) await requireOrganization(ctx.db, ctx.tenantId, organizationId);
  const { rows, nextPageToken } = pageOf(found, pageSize, (last) =>
    writePageToken(ctx.secrets, query, [last.groupId]),
  );
  return { data: await mapInChunks(rows, presentGroup), nextPageToken };
}

/** Reads one row more than the page, to know whether another page follows. */
function selectGroups(
  ctx: KeyContext,
  { organizationId, pageSize }: GetUserGroupsInput,
  groupIds: string[],
  after: string | undefined,
): Promise<GroupRow[]> {
  const byIds = groupIds.length > 0 ? sql`AND g.group_id = ANY(${groupIds})` : empty;
  const fromPage = after === undefined ? empty : sql`AND g.group_id > ${after}`;
  const userIds =
    groupIds.length > 0
      ? sql`COALESCE(array_agg(m.user_id ORDER BY m.user_id), '{}')`
      : sql`NULL::text[]`;
  return ctx.db.query<GroupRow>(sql`
    SELECT g.group_id AS "groupId", g.group_name AS "groupName", g.metadata,
           members.count AS "memberCount", members.user_ids AS "userIds"
    FROM user_groups g
    CROSS JOIN LATERAL (
      SELECT count(*)::int AS count, ${userIds} AS user_ids
      FROM user_group_members m
      WHERE m.tenant_id = g.tenant_id AND m.organization_id = g.organization_id
        AND m.group_id = g.group_id
    ) members
    WHERE g.tenant_id = ${ctx.tenantId} AND g.organization_id = ${organizationId}
      ${byIds} ${fromPage}
    ORDER BY g.group_id LIMIT ${pageSize + 1}`);
}

const presentGroup = ({ memberCount, userIds, ...group }: GroupRow): PresentedUserGroup => ({
  ...presentUserGroup(group),
  memberCount,
  ...(userIds !== null && { userIds }),
});
