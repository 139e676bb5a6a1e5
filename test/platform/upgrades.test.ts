import { Client } from 'pg';
import { beforeAll, describe, expect, it } from 'vitest';
import { refillSpellings } from '../../src/features/memory/judgments/refill-spellings.ts';
import { memoryOf } from '../support/memory.ts';
import { startTestServer, type TestServer } from '../support/server.ts';
import { whenFileEnds } from '../support/when-file-ends.ts';

let server: TestServer;
let client: Client;
let now = 1_800_000_000_000;
beforeAll(async () => {
  server = await startTestServer({ ROLES: 'api' }, { clock: { now: () => now } });
  client = new Client({ connectionString: server.databaseUrl });
  await client.connect();
  whenFileEnds(() => client.end());
});

const query = async (text: string, values: unknown[] = []) =>
  (await client.query(text, values)).rows;

describe('spellings that an earlier version did not keep', () => {
  it('are counted once each, by several processes, and judgments since then are not', async () => {
    const { add } = memoryOf(server);
    const judgments = (item: string, count: number) =>
      Array.from({ length: count }, (_, at) => ({
        query: `Approve the ${item} ${at} of the quarterly conference`,
        decision: 'approved',
      }));
    for (const item of ['invoice', 'catering', 'printing', 'budget']) {
      await add(judgments(item, 100));
    }
    const spellings = () =>
      query('SELECT written, judgments FROM memory_spellings ORDER BY written');
    const before = await spellings();
    expect(before).toContainEqual({ written: 'catering', judgments: 100 });
    await query('TRUNCATE memory_spellings');
    now += 1_000;
    await query('INSERT INTO memory_spellings_refills VALUES ($1, $2)', [
      server.quickstart.apiKey,
      now,
    ]);
    await add(judgments('catering', 7));
    const { db } = server.app.services;
    await Promise.all([refillSpellings({ db }), refillSpellings({ db })]);
    await refillSpellings({ db });
    const after = await spellings();
    expect(after.map(({ written }) => written)).toEqual(before.map(({ written }) => written));
    expect(after).toContainEqual({ written: 'catering', judgments: 107 });
    expect(after).toContainEqual({ written: 'invoice', judgments: 100 });
    expect(await query('SELECT * FROM memory_spellings_refills')).toEqual([]);
  });
});

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
