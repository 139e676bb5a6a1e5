import type { Client } from 'pg';
import { growthOfLists, type Tables } from '../growth/lists.ts';
import { pageTokenAfter } from '../growth/page-tokens.ts';
import { DOCUMENT, fillBy, ORGANIZATION } from '../harness/fill.ts';

const USERS = '/v2/users/get';
const GROUPS = '/v2/organizations/usergroups/get';
const PERMISSIONS = '/v2/auth/permissions/get';
const organizationId = 'acme';
const documentId = 'plan';
const pageSize = 50;

function tables(count: number): Tables {
  const middle = Math.floor(count / 2);
  const data = { organizationId, pageSize };
  const pageToken = pageTokenAfter(
    'users.get',
    { organizationId, documentId: undefined, folderId: undefined, userIds: undefined },
    [`user-${middle}`],
  );
  const groupToken = pageTokenAfter('userGroups.get', { organizationId, groupIds: [] }, [
    `group-${middle}`,
  ]);
  const userIds = Array.from({ length: 30 }, (_, n) => `user-${Math.floor((n * count) / 30)}`);
  return {
    'Users and permissions': {
      'first page': { path: USERS, data },
      'page in the middle': { path: USERS, data: { ...data, pageToken } },
      '30 by id': { path: USERS, data: { organizationId, userIds } },
      '50 with a role on a document': { path: USERS, data: { ...data, documentId } },
      'permissions of 30': {
        path: PERMISSIONS,
        data: { organizationId, userIds, documentIds: [documentId] },
      },
    },
    'User groups': {
      'first page': { path: GROUPS, data },
      'page in the middle': { path: GROUPS, data: { ...data, pageToken: groupToken } },
      'one with 100 members': {
        path: GROUPS,
        data: { organizationId, organizationUserGroupIds: [`group-${middle}`] },
      },
    },
  };
}

/** As many groups as users. One in a hundred groups has members, a hundred each. */
const fill = (database: Client, count: number) =>
  fillBy(database, count, [
    ORGANIZATION,
    DOCUMENT,
    `INSERT INTO users (tenant_id, user_id, name, email, initial)
     SELECT :tenant, 'user-' || n, 'User ' || n, 'user-' || n || '@example.com', 'U'
     FROM generate_series(0, :count - 1) AS n`,
    `INSERT INTO grants
       (tenant_id, organization_id, resource_type, resource_id, user_id, access_role)
     SELECT :tenant, 'acme', 'organization', 'acme', 'user-' || n, 'editor'
     FROM generate_series(0, :count - 1) AS n`,
    `INSERT INTO grants
       (tenant_id, organization_id, resource_type, resource_id, user_id, access_role)
     SELECT :tenant, 'acme', 'document', 'plan', 'user-' || n * :count / 50, 'viewer'
     FROM generate_series(0, 49) AS n`,
    `INSERT INTO user_groups (tenant_id, organization_id, group_id, group_name)
     SELECT :tenant, 'acme', 'group-' || n, 'Group ' || n FROM generate_series(0, :count - 1) AS n`,
    `INSERT INTO user_group_members (tenant_id, organization_id, group_id, user_id)
     SELECT :tenant, 'acme', 'group-' || n / 100 * 100, 'user-' || n
     FROM generate_series(0, :count - 1) AS n`,
  ]);

export default growthOfLists({
  name: 'growth-users',
  sizeOf: 'users, and user groups',
  fill,
  tables,
});
