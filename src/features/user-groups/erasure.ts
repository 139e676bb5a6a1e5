import { type Sql, sql } from '../../platform/database/database.ts';
import { removeRows } from '../../platform/erasure/remove-rows.ts';
import { walkRows } from '../../platform/erasure/walk-rows.ts';

export const eraseMemberships = removeRows({
  name: 'groupMemberships',
  table: sql`user_group_members`,
  key: sql`organization_id, group_id, user_id`,
});

/** SQL: whether user `u` is in a group of any organization. */
export const hasGroup: Sql = sql`EXISTS (
  SELECT 1 FROM user_group_members m WHERE m.tenant_id = u.tenant_id AND m.user_id = u.user_id)`;

export const eraseInGroups = walkRows({
  name: 'groupFields',
  table: sql`user_groups t`,
  key: ['organization_id', 'group_id'],
  columns: { metadata: 'metadata::jsonb' },
});

/** SQL: the organizations in which the user `asked.user_id` of the enclosing query is in a group. */
export const organizationsOfGroups = (tenantId: string): Sql => sql`
  SELECT organization_id FROM user_group_members
  WHERE tenant_id = ${tenantId} AND user_id = asked.user_id`;
