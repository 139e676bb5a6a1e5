import { expect, it } from 'vitest';
import { startTestServer } from '../support/server.ts';

it('a plan uses the index, although its table is still small', async () => {
  const server = await startTestServer({ ROLES: 'api' });
  const { pool } = server.app.services.db;
  await pool.query('ANALYZE users');
  const { rows } = await pool.query(
    'EXPLAIN SELECT FROM users WHERE tenant_id = $1 AND user_id = $2',
    [server.quickstart.apiKey, 'ada'],
  );
  const plan = rows.map((row) => row['QUERY PLAN']).join('\n');
  expect(plan).toContain('Index');
  expect(plan).not.toContain('Seq Scan');
});
