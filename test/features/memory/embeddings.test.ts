import type { Pool, PoolClient } from 'pg';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { computeEmbeddings } from '../../../src/features/memory/embeddings/compute-embeddings.ts';
import { dataOf, invalid } from '../../support/answers.ts';
import { embeddingsOf, embeds } from '../../support/embeddings.ts';
import { eventually } from '../../support/eventually.ts';
import { freePort } from '../../support/free-port.ts';
import { memoryOf } from '../../support/memory.ts';
import {
  fails,
  json,
  type ModelProviders,
  type Reply,
  startModelProviders,
} from '../../support/model-provider.ts';
import { createTenant, startTestServer, type TestServer } from '../../support/server.ts';
import { createWorkspaceKey } from '../../support/workspaces.ts';

const KEY = 'sk-embeddings-0123456789';
const NOTHING = { primary: null, conflict: null };
/** A judgment and a paraphrase without any of its words. */
const SAID = 'Buy a car';
const PARAPHRASE = 'Acquire an automobile';

let providers: ModelProviders;
/** The server has no worker, so embeddings are created when a test runs the task. */
let server: TestServer;
let now = 1_800_000_000_000;
let headers: Record<string, string>;
let memory: ReturnType<typeof memoryOf>;

beforeAll(async () => {
  providers = await startModelProviders();
  server = await startTestServer(
    { ...providers.environment, ROLES: 'api' },
    { clock: { now: () => now } },
  );
});

beforeEach(async () => {
  providers.reply(embeds);
  headers = await createWorkspaceKey(server);
  memory = memoryOf(server, headers);
});

const setKey = (provider = 'openai', own = headers, at = server) =>
  at.call(
    '/v2/workspace/apikeyconfig/update',
    { aiModelApiKey: [{ provider, customerApiKey: KEY }] },
    own,
  );

const configure = (embeddings: object, own = memory) => own.call('config/update', { embeddings });

async function turnOn(provider = 'openai', own = headers, at = server): Promise<void> {
  dataOf(await setKey(provider, own, at));
  const config = { isEnabled: true, provider };
  expect(dataOf(await configure(config, memoryOf(at, own))).embeddings).toEqual(config);
}

/** Advances the clock and runs the due work. */
async function runDueWork(): Promise<void> {
  now += 120_000;
  await computeEmbeddings(server.app.services);
}

const approved = (query: string, more: object = {}) => ({ query, decision: 'approved', ...more });
const times = <Item>(count: number, make: (n: number) => Item): Item[] =>
  Array.from({ length: count }, (_, n) => make(n));

const rowsOf = async (own = headers, at = server) => {
  const { rows } = await at.app.services.db.pool.query<{ record_id: string; model: string }>(
    'SELECT record_id, model FROM memory_embeddings WHERE tenant_id = $1 ORDER BY record_id',
    [own['x-svc-api-key']],
  );
  return rows;
};

const inputs = () => providers.seen.map(({ body }): string[] => body.input);

describe('the memory configuration', () => {
  const get = async () => dataOf(await memory.call('config/get', {})).embeddings;

  it('disables embeddings by default', async () => {
    expect(await get()).toEqual({ isEnabled: false, provider: 'openai' });
  });

  it.each([
    ['openai', 'OpenAI'],
    ['gemini', 'Gemini'],
  ])('refuses to enable %s without a workspace key for it', async (provider, name) => {
    const { status, body } = await configure({ isEnabled: true, provider });
    expect(status).toBe(400);
    expect(body.error).toMatchObject({
      status: 'FAILED_PRECONDITION',
      message: `No API key for ${name} is configured in this workspace. Set one with /v2/workspace/apikeyconfig/update.`,
    });
    expect(await get()).toEqual({ isEnabled: false, provider: 'openai' });
  });

  it('keeps fields that are not given, and refuses a provider without a key', async () => {
    await turnOn('gemini');
    expect((await configure({ provider: 'openai' })).body.error.status).toBe('FAILED_PRECONDITION');
    expect(await get()).toEqual({ isEnabled: true, provider: 'gemini' });
    dataOf(await configure({ isEnabled: false }));
    expect(await get()).toEqual({ isEnabled: false, provider: 'gemini' });
  });

  it('refuses an update without a field', async () => {
    expect((await configure({})).body).toEqual(invalid('embeddings'));
  });
});

describe('with embeddings', () => {
  it('finds paraphrases, until embeddings are disabled', async () => {
    await memory.add(times(3, () => approved(SAID)));
    await memory.add([approved('Repaint the kitchen')]);
    expect(await memory.suggest(PARAPHRASE)).toEqual(NOTHING);
    await turnOn();
    await runDueWork();
    const { primary } = await memory.suggest(PARAPHRASE);
    expect(primary).toMatchObject({ recommendation: 'approve', basedOn: 3, scope: 'apiKey' });
    const found = await memory.search(PARAPHRASE);
    expect(found.map(({ query, similarity }) => [query, similarity])).toEqual(
      Array(3).fill([SAID, 1]),
    );
    dataOf(await configure({ isEnabled: false }));
    providers.reply(embeds);
    expect(await memory.suggest(PARAPHRASE)).toEqual(NOTHING);
    expect(await memory.search(PARAPHRASE)).toEqual([]);
    expect(providers.seen).toEqual([]);
  });

  it('finds judgments in their own scope only', async () => {
    const acme = { organizationId: 'acme', documentId: 'plan' };
    await memory.add([
      ...times(2, () => approved(SAID)),
      ...times(2, () => ({ ...approved(SAID, { organizationId: 'acme' }), decision: 'rejected' })),
      ...times(2, () => approved(SAID, acme)),
      ...times(2, () => approved(SAID, { ...acme, documentId: 'other' })),
    ]);
    await turnOn();
    await runDueWork();
    const documentOnly = await memory.search(PARAPHRASE, acme);
    expect(documentOnly.map(({ documentId }) => documentId)).toEqual(['plan', 'plan']);
    expect(await memory.search(PARAPHRASE, { organizationId: 'acme' })).toHaveLength(6);
    expect(await memory.search(PARAPHRASE)).toHaveLength(8);
    expect((await memory.suggest(PARAPHRASE, acme)).primary.scope).toBe('document');
  });

  it('keeps results by words, and ignores unrelated judgments', async () => {
    const texts = ['Physician on vacation', 'Repaint the kitchen red', 'Repaint the hall red'];
    await memory.add(texts.flatMap((text) => times(2, () => approved(text))));
    const query = 'Repaint the kitchen';
    const before = [await memory.suggest(query), await memory.search(query)];
    expect(before[0].primary.recommendation).toBe('approve');
    await turnOn();
    expect([await memory.suggest(query), await memory.search(query)]).toEqual(before);
    await runDueWork();
    expect(await memory.suggest('Quarterly tax declaration')).toEqual(NOTHING);
    const [first] = await memory.search(query);
    expect(first.query).toBe('Repaint the kitchen red');
    expect(first.similarity).toBeGreaterThanOrEqual(before[1][0].similarity);
  });

  it('uses the higher of both similarities', async () => {
    await memory.add([approved('Buy a car')]);
    await turnOn();
    await runDueWork();
    const [inWords] = await memory.search('Buy a car');
    const [inMeaning] = await memory.search('Buy an automobile');
    expect([inWords.similarity, inMeaning.similarity]).toEqual([1, 1]);
  });

  it('uses Gemini instead, and rescales its narrow range of cosines', async () => {
    // The cosine of the two texts is 0.8, which Gemini gives to texts that are hardly related.
    await memory.add([approved('car car car car doctor doctor doctor')]);
    await turnOn('openai');
    await runDueWork();
    const query = 'automobile';
    const [found] = await memory.search(query);
    expect(found.similarity).toBe(0.8);
    await turnOn('gemini');
    await runDueWork();
    expect(await rowsOf()).toEqual([expect.objectContaining({ model: 'gemini-embedding-001' })]);
    expect(await memory.search(query)).toEqual([]);
    expect(providers.seen.map(({ provider, path, body }) => [provider, path, body.model])).toEqual([
      ...Array(2).fill(['openai', '/v1/embeddings', 'text-embedding-3-small']),
      ...Array(2).fill(['gemini', '/v1beta/openai/embeddings', 'gemini-embedding-001']),
    ]);
    expect(providers.seen.map(({ headers: sent }) => sent.authorization)).toEqual(
      Array(4).fill(`Bearer ${KEY}`),
    );
  });

  it('does not read vectors of other tenants', async () => {
    await turnOn();
    const other = await createTenant(server);
    await turnOn('openai', other);
    await memoryOf(server, other).add(times(3, () => approved(SAID)));
    await runDueWork();
    expect(await rowsOf(other)).toHaveLength(3);
    expect(await memory.suggest(PARAPHRASE)).toEqual(NOTHING);
    expect((await memoryOf(server, other).suggest(PARAPHRASE)).primary.basedOn).toBe(3);
  });
});

describe('when the provider fails', () => {
  type Vector = ReturnType<typeof embeddingsOf>['data'][number];
  const vectors =
    (change: (data: Vector[]) => unknown[]): Reply =>
    ({ body }, response) => {
      const answer = embeddingsOf(body.input, body.dimensions);
      json(response, 200, { ...answer, data: change(answer.data) });
    };
  const each = (more: object) => vectors((data) => data.map((one) => ({ ...one, ...more })));

  it.each<[string, Reply]>([
    ['refuses the key', fails(401, { error: { message: `Wrong key: ${KEY}` } })],
    ['has too many requests', fails(429, { error: { message: 'Too many.' } })],
    ['has a problem of its own', fails(500, { error: { message: KEY } })],
    ['does not answer', () => undefined],
    [
      'stops in the middle',
      (_, response) => {
        response.writeHead(200, { 'content-type': 'application/json' });
        response.write('{"data": [');
      },
    ],
    ['hangs up', (_, response) => response.destroy()],
    ['answers no JSON', (_, response) => json(response, 200, `{"${KEY}`)],
    ['answers something else', (_, response) => json(response, 200, { data: KEY })],
    ['redirects', fails(302, {}, { location: 'http://127.0.0.1/' })],
    ['gives vectors of another length', each({ embedding: [1, 2] })],
    ['gives no numbers', each({ embedding: Array(512).fill('1') })],
    ['gives a vector of nothing', each({ embedding: Array(512).fill(0) })],
    ['gives too few', vectors((data) => data.slice(1))],
    ['gives the wrong ones', each({ index: 7 })],
  ])('and %s, only words are compared', async (_how, reply) => {
    await memory.add(times(2, () => approved(SAID)));
    const inWords = [await memory.suggest(SAID), await memory.search(SAID)];
    await turnOn();
    await runDueWork();
    expect((await memory.suggest(PARAPHRASE)).primary).not.toBeNull();
    providers.reply(reply);
    const answers = await Promise.all([memory.suggest(SAID), memory.search(SAID)]);
    expect(providers.seen).toHaveLength(2);
    expect(answers).toEqual(inWords.map((answer) => expect.objectContaining(answer)));
    expect(JSON.stringify(answers)).not.toContain(KEY);
    expect(await memory.suggest(PARAPHRASE)).toEqual(NOTHING);
  });

  it('and is unreachable, or its key is removed, only words are compared', async () => {
    const environment = { OPENAI_BASE_URL: `http://127.0.0.1:${await freePort()}/v1` };
    const away = await startTestServer({ ...providers.environment, ...environment, ROLES: 'api' });
    await turnOn('openai', { ...away.keyHeaders }, away);
    const own = memoryOf(away);
    await own.add(times(2, () => approved(SAID)));
    expect((await own.suggest(SAID)).primary).toMatchObject({ basedOn: 2 });
    await away.app.services.db.pool.query('DELETE FROM model_provider_keys');
    expect((await own.suggest(SAID)).primary).toMatchObject({ basedOn: 2 });
  });

  it('embeddings are created later', async () => {
    await turnOn();
    await memory.add([approved(SAID)]);
    providers.reply(fails(500, {}));
    await runDueWork();
    expect(await rowsOf()).toEqual([]);
    expect(providers.seen).toHaveLength(1);
    providers.reply(embeds);
    await runDueWork();
    expect(await rowsOf()).toHaveLength(1);
  });
});

describe('embeddings', () => {
  /** Changes the text as an erasure does. */
  const changeText = (db: Pool | PoolClient, recordId: string | undefined) =>
    db.query('UPDATE memory_judgments SET query = $1 WHERE tenant_id = $2 AND record_id = $3', [
      'Something else',
      headers['x-svc-api-key'],
      recordId,
    ]);

  it('are created once, for at most a hundred judgments at a time', async () => {
    const texts = times(250, (n) => `Item number ${n}`);
    for (const part of [0, 100, 200]) {
      await memory.add(texts.slice(part, part + 100).map((text) => approved(text)));
    }
    await turnOn();
    for (let round = 1; round <= 5; round += 1) await runDueWork();
    expect(inputs().map(({ length }) => length)).toEqual([100, 100, 50]);
    expect(inputs().flat().sort()).toEqual(texts.toSorted());
    expect(await rowsOf()).toHaveLength(250);
  });

  it('are requested once, however many processes run', async () => {
    await memory.add(times(3, () => approved(SAID)));
    await turnOn();
    await Promise.all(times(4, () => computeEmbeddings(server.app.services)));
    expect(inputs()).toEqual([[SAID, SAID, SAID]]);
    expect(await rowsOf()).toHaveLength(3);
  });

  it('are created for old judgments too, however many newer ones exist', async () => {
    const tenant = headers['x-svc-api-key'];
    const { pool } = server.app.services.db;
    await pool.query(
      `INSERT INTO memory_judgments (tenant_id, record_id, query, decision, side, judge_type,
         created_ms, recorded_ms, fingerprint, terms, organization_terms)
       SELECT $1, CASE n WHEN 0 THEN 'z' ELSE 'r' || n END, 'Old', 'approved', 1, 'human',
         n, n, n, '{}', '{}'
       FROM generate_series(0, 2500) n`,
      [tenant],
    );
    await pool.query(
      `INSERT INTO memory_embeddings (tenant_id, record_id, model, vector)
       SELECT tenant_id, record_id, 'text-embedding-3-small', '' FROM memory_judgments
       WHERE tenant_id = $1 AND record_id <> 'z'`,
      [tenant],
    );
    await turnOn();
    for (let round = 1; round <= 3; round += 1) await runDueWork();
    expect(inputs()).toEqual([['Old']]);
  });

  it('are not created while disabled', async () => {
    await memory.add([approved(SAID)]);
    await turnOn();
    dataOf(await configure({ isEnabled: false }));
    await runDueWork();
    expect(providers.seen).toEqual([]);
  });

  it('cut a long text between characters', async () => {
    await turnOn();
    await memory.add([approved(`  ${'a'.repeat(1999)}😀${'b'.repeat(5000)}`)]);
    await runDueWork();
    expect(inputs()).toEqual([[`${'a'.repeat(1999)}\ufffd`]]);
  });

  it('are not stored for a text that has changed meanwhile', async () => {
    await turnOn();
    const [changed, same] = await memory.add([approved(SAID), approved(SAID)]);
    providers.reply(async (request, response) => {
      await changeText(server.app.services.db.pool, changed);
      await embeds(request, response);
    });
    await runDueWork();
    expect(await rowsOf()).toEqual([expect.objectContaining({ record_id: same })]);
  });

  it('are not stored for a text that is being changed', async () => {
    await turnOn();
    const [changed] = await memory.add([approved(SAID)]);
    const erasing = await server.app.services.db.pool.connect();
    await erasing.query('BEGIN');
    await changeText(erasing, changed);
    const swept = runDueWork();
    await eventually(async () => {
      const { rows } = await erasing.query(
        `SELECT FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()`,
      );
      expect(rows).toHaveLength(1);
    });
    await erasing.query('COMMIT');
    erasing.release();
    await swept;
    expect(await rowsOf()).toEqual([]);
  });

  it('are created in the background, and deleted with their judgments', async () => {
    const live = await startTestServer(providers.environment);
    const own = memoryOf(live);
    const organizationId = 'acme';
    const organization = { organizations: [{ organizationId, organizationName: 'Acme' }] };
    dataOf(await live.call('/v2/organizations/add', organization));
    const [named, , kept] = await own.add([
      approved('A car for Ada Lovelace', { reviewer: { userId: 'ada', name: 'Ada Lovelace' } }),
      approved(SAID, { organizationId }),
      approved('Repaint the kitchen', { reviewer: { userId: 'ada', name: 'Ada Lovelace' } }),
    ]);
    await turnOn('openai', live.keyHeaders, live);
    const recordIds = async () =>
      (await rowsOf(live.keyHeaders, live)).map(({ record_id }) => record_id);
    await eventually(async () => expect(await recordIds()).toHaveLength(3), 20_000);
    providers.reply(fails(500, {}));
    const { jobId } = dataOf(await live.call('/v2/users/data/delete', { userIds: ['ada'] }));
    await eventually(async () => {
      const status = dataOf(await live.call('/v2/users/data/delete/status', { jobId }));
      expect(status.isDeleteCompleted).toBe(true);
    }, 20_000);
    expect(await recordIds()).not.toContain(named);
    expect(await recordIds()).toContain(kept);
    dataOf(await live.call('/v2/organizations/delete', { organizationIds: [organizationId] }));
    await eventually(async () => expect(await recordIds()).toEqual([kept]), 20_000);
  });
});

describe('a suggestion', () => {
  const place = { organizationId: 'acme', documentId: 'plan' };
  /** Without the statement by which the process says in the background that it lives. */
  const count = async () => {
    const statements = await server.statementsOf(() => memory.suggest(PARAPHRASE, place));
    return statements.filter((text) => !text.includes('presence_processes'));
  };

  it('runs one statement more than before while embeddings are disabled', async () => {
    await memory.add(times(3, () => approved(SAID, place)));
    const statements = await count();
    const about = statements.filter((text) => /memory_configs|embedding|provider/.test(text));
    expect(about).toEqual([expect.stringContaining('memory_configs')]);
  });

  it('runs as many statements whatever the number of judgments', async () => {
    await turnOn();
    await memory.add(times(2, () => approved(SAID, place)));
    await runDueWork();
    const few = await count();
    await memory.add(times(98, () => approved(SAID, place)));
    for (let round = 1; round <= 2; round += 1) await runDueWork();
    expect(await rowsOf()).toHaveLength(100);
    expect(await count()).toEqual(few);
  });
});
