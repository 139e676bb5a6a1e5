import { describe, expect, it } from 'vitest';
import { tenantProblem } from './tenant-guard.ts';

describe('the guard of tenants', () => {
  it.each([
    'SELECT * FROM users WHERE tenant_id = $1',
    'SELECT * FROM users u JOIN grants g USING (tenant_id, user_id) WHERE u.tenant_id = $1',
    'SELECT * FROM users u JOIN grants g ON g.tenant_id = u.tenant_id WHERE g.tenant_id = $1',
    'SELECT * FROM users WHERE (tenant_id, user_id) IN (SELECT $1, unnest($2::text[]))',
    'SELECT * FROM users WHERE ARRAY[tenant_id] @> ARRAY[$1]',
    'SELECT * FROM unnest($1::text[]) t(tenant) JOIN users u ON u.tenant_id = t.tenant',
    'SELECT (SELECT count(*) FROM grants g WHERE g.tenant_id = u.tenant_id) FROM users u WHERE tenant_id = $1',
    'WITH one AS (SELECT $1 AS tenant_id) DELETE FROM users u USING one WHERE u.tenant_id = one.tenant_id',
    'INSERT INTO users (tenant_id, user_id) VALUES ($1, $2)',
    'SELECT * FROM users /* all tenants */',
    'SELECT * FROM workspaces',
  ])('accepts: %s', (statement) => {
    expect(tenantProblem(statement)).toBeUndefined();
  });

  it.each([
    'SELECT tenant_id FROM users',
    'SELECT * FROM users WHERE tenant_id = $1 OR user_id = $2',
    'SELECT * FROM users WHERE tenant_id <> $1',
    'SELECT * FROM users ORDER BY tenant_id',
    'SELECT * FROM users u JOIN grants g USING (tenant_id, user_id)',
    'SELECT * FROM users u, grants g WHERE u.tenant_id = $1',
    'SELECT * FROM users u JOIN grants g USING (user_id) WHERE u.tenant_id = $1',
    'SELECT (SELECT count(*) FROM grants) FROM users WHERE tenant_id = $1',
    'UPDATE users SET tenant_id = $1 WHERE user_id = $2',
    'DELETE FROM users USING grants g WHERE g.tenant_id = $1',
    'WITH gone AS (DELETE FROM users RETURNING tenant_id) SELECT * FROM gone WHERE tenant_id = $1',
    'INSERT INTO users (user_id) VALUES ($1)',
    'SELECT * FROM "public"."users" WHERE "user_id" = $1',
  ])('refuses: %s', (statement) => {
    expect(tenantProblem(statement)).toContain('does not compare the tenant');
  });
});
