import {
  type ArchivedTable,
  namesOrganization,
  ORGANIZATION,
  TENANT,
} from '../../platform/archives/archived-table.ts';
import { sql } from '../../platform/database/database.ts';

export const archivedGroups: ArchivedTable = {
  name: 'user_groups',
  ofOrganization: namesOrganization,
};

export const archivedMembers: ArchivedTable = {
  name: 'user_group_members',
  ofOrganization: namesOrganization,
};

/** SQL: whether the user `t` is in a group of the organization. */
export const isInGroup = sql`EXISTS (
  SELECT FROM user_group_members member
  WHERE member.tenant_id = ${TENANT} AND member.user_id = t.user_id
    AND member.organization_id = ${ORGANIZATION})`;
