import type { Client } from 'pg';
import { sha256 } from '../../../src/platform/secrets.ts';
import { growthOfLists, type Tables } from '../growth/lists.ts';
import { fillBy } from '../harness/fill.ts';

const USERS_OF_A_TENANT = 100;
const AUTH_TOKEN = 'auth-token';
const organizationId = 'acme';

function tables(count: number): Tables {
  const as = (tenant: number) => ({
    'x-svc-api-key': `tenant-${tenant % count}`,
    'x-svc-auth-token': AUTH_TOKEN,
  });
  const read = { path: '/v2/users/get', data: { organizationId, pageSize: 50 } };
  const write = (n: number) => ({
    path: '/v1/users/add',
    data: {
      organizationId,
      users: [{ userId: `user-${n % USERS_OF_A_TENANT}`, name: `Ada ${n}` }],
    },
  });
  return {
    'Calls of one tenant among others': {
      'read, always of one tenant': { ...read, headers: as(0) },
      'read, of each tenant in turn': (n) => ({ ...read, headers: as(n) }),
      'write, always of one tenant': (n) => ({ ...write(n), headers: as(0) }),
      'write, of each tenant in turn': (n) => ({ ...write(n), headers: as(n) }),
    },
  };
}

/** API keys with an organization of a hundred users each. */
const fill = (database: Client, count: number) =>
  fillBy(database, count, [
    `INSERT INTO api_keys (id, workspace_id, type, owner_email, realtime_db_region)
     SELECT 'tenant-' || t, 'bench', 'testing', 'bench@example.com', 'us-central1'
     FROM generate_series(0, :count - 1) AS t`,
    `INSERT INTO auth_tokens (tenant_id, hash, sealed_token)
     SELECT 'tenant-' || t, '\\x${sha256(AUTH_TOKEN).toString('hex')}', 'never shown'
     FROM generate_series(0, :count - 1) AS t`,
    `INSERT INTO organizations (tenant_id, organization_id)
     SELECT 'tenant-' || t, 'acme' FROM generate_series(0, :count - 1) AS t`,
    `INSERT INTO users (tenant_id, user_id, name)
     SELECT 'tenant-' || t, 'user-' || n, 'Ada'
     FROM generate_series(0, :count - 1) AS t, generate_series(0, ${USERS_OF_A_TENANT - 1}) AS n`,
    `INSERT INTO grants
       (tenant_id, organization_id, resource_type, resource_id, user_id, access_role)
     SELECT 'tenant-' || t, 'acme', 'organization', 'acme', 'user-' || n, 'editor'
     FROM generate_series(0, :count - 1) AS t, generate_series(0, ${USERS_OF_A_TENANT - 1}) AS n`,
  ]);

export default growthOfLists({
  name: 'growth-tenants',
  sizeOf: 'tenants',
  smallest: 1,
  largest: 1_000,
  fill,
  tables,
});
