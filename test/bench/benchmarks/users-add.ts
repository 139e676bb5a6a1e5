import type { Comparison } from '../harness/benchmark.ts';
import { TENANT } from '../harness/credentials.ts';

const EXISTING = 5_000;

/** One user for each call, alternately a new and an existing one. */
const usersAdd: Comparison = {
  name: 'users-add',
  target: 0.35,

  async prepare(database) {
    await database.query(
      `INSERT INTO organizations (tenant_id, organization_id, organization_name)
       VALUES ($1, 'acme', 'acme')`,
      [TENANT],
    );
    await database.query(
      `INSERT INTO users (tenant_id, user_id, name, email, initial)
       SELECT $1, 'user-' || n, 'User ' || n, 'user-' || n || '@example.com', 'U'
       FROM generate_series(0, $2::int - 1) AS n`,
      [TENANT, EXISTING],
    );
    await database.query(
      `INSERT INTO grants
         (tenant_id, organization_id, resource_type, resource_id, user_id, access_role)
       SELECT tenant_id, 'acme', 'organization', 'acme', user_id, 'editor' FROM users
       WHERE tenant_id = $1`,
      [TENANT],
    );
  },

  request(n) {
    const userId = n % 2 === 0 ? `new-${n}` : `user-${n % EXISTING}`;
    const user = { userId, name: `User ${n}`, email: `${userId}@example.com` };
    return { path: '/v1/users/add', data: { organizationId: 'acme', users: [user] } };
  },
};

export default usersAdd;
