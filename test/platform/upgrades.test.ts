import { expect, it } from 'vitest';
import { execute } from '../support/global-setup.ts';
import { startTestServer } from '../support/server.ts';

const server = await startTestServer({ ROLES: 'api' });

const query = (text: string) => execute(server.databaseUrl, text);

it('a schema that needs a newer version is reported by /readyz of a running process, and refused at a start', async () => {
  const ready = () => fetch(`${server.url}/readyz`);
  expect((await ready()).status).toBe(200);
  await query(`INSERT INTO schema_requirements VALUES ('29990101000000_contract')`);
  const answer = await ready();
  expect(answer.status).toBe(503);
  expect((await answer.json()).problem).toMatch(/newer than this version .* 29990101000000/);
  const { databaseUrl: DATABASE_URL } = server;
  await expect(startTestServer({ DATABASE_URL })).rejects.toThrow(/29990101000000_contract/);
  await query('DELETE FROM schema_requirements');
  expect((await ready()).status).toBe(200);
});
