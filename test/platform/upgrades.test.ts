import { Client } from 'pg';
import { beforeAll, describe, expect, it } from 'vitest';
import { startTestServer, type TestServer } from '../support/server.ts';
import { whenFileEnds } from '../support/when-file-ends.ts';

let server: TestServer;
let client: Client;
beforeAll(async () => {
  server = await startTestServer({ ROLES: 'api' }, { clock: { now: () => 1_800_000_000_000 } });
  client = new Client({ connectionString: server.databaseUrl });
  await client.connect();
  whenFileEnds(() => client.end());
});

const query = async (text: string, values: unknown[] = []) =>
  (await client.query(text, values)).rows;

describe('a schema that needs a newer version', () => {
  it('is reported by /readyz of a running process, and refused at a start', async () => {
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
});
