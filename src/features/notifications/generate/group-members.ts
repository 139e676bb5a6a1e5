import { type Queryable, sql } from '../../../platform/database/database.ts';

interface Group {
  organizationId: string;
  groupId: string;
}

/** Loads the members of groups, of any number of organizations: one statement, none without groups. */
export async function loadGroupMembers(
  db: Queryable,
  tenantId: string,
  groups: Group[],
): Promise<{ of(organizationId: string, groupId: string): Array<{ userId: string }> }> {
  const rows =
    groups.length === 0
      ? []
      : await db.query<Group & { userId: string }>(sql`
          SELECT DISTINCT m.organization_id AS "organizationId", m.group_id AS "groupId",
                 m.user_id AS "userId"
          FROM unnest(${groups.map((group) => group.organizationId)}::text[],
                      ${groups.map((group) => group.groupId)}::text[])
            AS named(organization_id, group_id)
          JOIN user_group_members m ON m.tenant_id = ${tenantId}
            AND m.organization_id = named.organization_id AND m.group_id = named.group_id`);
  const keyOf = ({ organizationId, groupId }: Group) => JSON.stringify([organizationId, groupId]);
  const members = Map.groupBy(rows, keyOf);
  return {
    of: (organizationId, groupId) =>
      (members.get(keyOf({ organizationId, groupId })) ?? []).map(({ userId }) => ({ userId })),
  };
}
