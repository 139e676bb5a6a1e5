import { Client } from 'pg';
import { beforeAll, describe, expect, it } from 'vitest';
import { reindexOldJudgments } from '../../src/features/memory/judgments/reindex-judgments.ts';
import { memoryOf } from '../support/memory.ts';
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

describe('judgments that the previous release indexed', () => {
  it('are indexed again once each, by several processes, with all that was counted', async () => {
    const { add, suggest } = memoryOf(server);
    const item = (n: number) => `Approve the catering ${n} of the quarterly conference`;
    const judgments = Array.from({ length: 300 }, (_, n) => ({
      query: item(n % 100),
      decision: 'approved',
      organizationId: 'acme',
      reviewer: { userId: `reviewer-${n}` },
    }));
    await add(judgments);
    const terms = () => query('SELECT term, judgments FROM memory_terms ORDER BY term');
    const index = () =>
      query('SELECT record_id, terms, fingerprint FROM memory_judgments ORDER BY 1');
    const [before, indexBefore] = [await terms(), await index()];
    const answer = await suggest(item(7), { organizationId: 'acme' });
    expect(answer.primary.recommendation).toBe('approve');
    await query(`UPDATE memory_judgments SET index_version = 1, fingerprint = 5,
      terms = array_to_tsvector(ARRAY['x']), organization_terms = array_to_tsvector(ARRAY['y'])`);
    await query(`DELETE FROM memory_terms WHERE judgments < 300`);
    await query(`INSERT INTO memory_terms SELECT tenant_id, term, 300
      FROM (SELECT DISTINCT tenant_id FROM memory_judgments) AS one, unnest(ARRAY['x', 'y']) AS term`);
    await query(`INSERT INTO memory_spellings SELECT DISTINCT tenant_id, 'catering', 'catering', 'x', 300
      FROM memory_judgments`);
    const { db } = server.app.services;
    await Promise.all([reindexOldJudgments({ db }), reindexOldJudgments({ db })]);
    await reindexOldJudgments({ db });
    expect((await terms()).filter(({ judgments }) => judgments < 300)).toEqual(
      before.filter(({ judgments }) => judgments < 300),
    );
    expect(await index()).toEqual(indexBefore);
    expect(await suggest(item(7), { organizationId: 'acme' })).toEqual(answer);
    expect(await query('SELECT * FROM memory_spellings')).toEqual([]);
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
