import { escapeLiteral } from 'pg';
import { beforeAll, describe, expect, it } from 'vitest';
import { suggestDecision } from '../../src/features/memory/suggest/suggest-decision.ts';
import { ALL_WORDS, termKey } from '../../src/features/memory/text/term-keys.ts';
import { wordsOf } from '../../src/features/memory/text/words.ts';
import type { Queryable, Sql } from '../../src/platform/database/database.ts';
import { startTestServer, type TestServer } from '../support/server.ts';

const ROWS = 20_000;
/** How many judgments have the first word, the first two, and so on. */
const WORDS: Array<[word: string, judgments: number]> = [
  ['paper', ROWS],
  ['purchase', ROWS],
  ['marble', ROWS / 10],
  ['zeppelin', ROWS / 1000],
];

let server: TestServer;
let tenant: string;

beforeAll(async () => {
  server = await startTestServer({ ROLES: 'api' });
  tenant = server.quickstart.apiKey;
  const { pool } = server.app.services.db;
  const keysIn = (place: string | null) =>
    WORDS.flatMap(([word]) => wordsOf(word)).map((word) => termKey(tenant, place, word));
  await pool.query(
    `INSERT INTO memory_judgments (tenant_id, record_id, organization_id, query, decision, side,
       judge_type, created_ms, recorded_ms, fingerprint, terms, organization_terms)
     SELECT $1, 'r' || n, 'acme', 'q', 'approved', 1, 'human', n, n, n,
       array_to_tsvector(($2::text[])[1:words]), array_to_tsvector(($3::text[])[1:words])
     FROM generate_series(1, $4::int) n, LATERAL (
       SELECT 2 + (n % 10 = 0)::int + (n % 1000 = 0)::int AS words) AS counted`,
    [tenant, keysIn(null), keysIn('acme'), ROWS],
  );
  const counted = [null, 'acme'].flatMap((place) => [
    [termKey(tenant, place, ALL_WORDS), ROWS] as const,
    ...keysIn(place).map((key, index) => [key, WORDS[index]?.[1] ?? 0] as const),
  ]);
  await pool.query(
    `INSERT INTO memory_terms (tenant_id, term, judgments)
     SELECT $1, term, judgments FROM unnest($2::text[], $3::int[]) AS counted(term, judgments)`,
    [tenant, counted.map(([key]) => key), counted.map(([, judgments]) => judgments)],
  );
  // Other tenants have similar and different words.
  await pool.query(
    `INSERT INTO memory_spellings (tenant_id, written, ascii, term, judgments)
     SELECT tenant, word, word, $2, 1 FROM (
       SELECT 'tenant' || n % 500 AS tenant, translate(left(md5(n::text), 9), '0123456789', 'ghijklmnop') AS word
       FROM generate_series(1, $3::int) n
       UNION SELECT 'tenant' || n, 'zeppelin' FROM generate_series(1, 500) n
       UNION SELECT $1, 'zeppelin') AS spelling`,
    [tenant, termKey(tenant, null, wordsOf('zeppelin')[0] ?? ''), 2 * ROWS],
  );
});

/** The statements that a suggestion sends. */
async function statementsOf(query: string): Promise<Sql[]> {
  const { db } = server.app.services;
  const statements: Sql[] = [];
  const watched: Queryable = {
    query: (statement) => {
      statements.push(statement);
      return db.query(statement);
    },
  };
  const ctx = { db: watched, clock: { now: () => ROWS }, tenantId: tenant };
  const { primary } = await suggestDecision(ctx, { query, organizationId: 'acme' });
  expect(primary).toMatchObject({ recommendation: 'approve', scope: 'organization' });
  return statements;
}

interface Node {
  'Relation Name'?: string;
  'Actual Rows': number;
  'Actual Loops': number;
  'Rows Removed by Filter'?: number;
  Plans?: Node[];
}

/** The rows that a plan read from tables, including those that it filtered out. */
function rowsOf(node: Node): number {
  const each = node['Actual Rows'] + (node['Rows Removed by Filter'] ?? 0);
  const own = node['Relation Name'] ? each * node['Actual Loops'] : 0;
  return own + (node.Plans ?? []).reduce((sum, child) => sum + rowsOf(child), 0);
}

const literal = (value: unknown): string =>
  Array.isArray(value)
    ? escapeLiteral(`{${value.map((item) => JSON.stringify(String(item))).join()}}`)
    : escapeLiteral(String(value));

/** The highest number of rows that one of the statements reads. */
async function rowsRead(statements: Sql[], mode: string): Promise<number> {
  const client = await server.app.services.db.pool.connect();
  try {
    await client.query(`SET plan_cache_mode = ${mode}`);
    const counts: number[] = [];
    for (const { text, values } of statements) {
      await client.query(`PREPARE suggestion AS ${text}`);
      const call = `EXECUTE suggestion(${values.map(literal).join(', ')})`;
      const { rows } = await client.query(`EXPLAIN (ANALYZE, FORMAT JSON) ${call}`);
      counts.push(rowsOf(rows[0]['QUERY PLAN'][0].Plan));
      await client.query('DEALLOCATE suggestion');
    }
    return Math.max(...counts);
  } finally {
    // The connection is closed, because its settings were changed.
    client.release(true);
  }
}

const MODES = ['force_custom_plan', 'force_generic_plan'];

async function expectFew(query: string, most: number): Promise<void> {
  const statements = await statementsOf(query);
  for (const mode of MODES) {
    expect(await rowsRead(statements, mode), mode).toBeLessThanOrEqual(most);
  }
}

const withWords: Array<[what: string, query: string, most: number]> = [
  ['a rare word', 'zeppelin', 100],
  ['a misspelt word', 'zepplein', 100],
  ['words that are rare together', 'marble paper purchase', ROWS / 4],
];

describe('without statistics, a suggestion reads few rows, whatever the plan', () => {
  beforeAll(async () => {
    await server.app.services.db.pool.query(
      `DELETE FROM pg_statistic WHERE starelid::regclass::text LIKE 'memory_%'`,
    );
  });

  it.each(withWords)('about %s', (_what, query, most) => expectFew(query, most));
});

describe('with statistics, a suggestion reads few rows, whatever the plan', () => {
  beforeAll(async () => {
    await server.app.services.db.pool.query(
      'ANALYZE memory_judgments, memory_terms, memory_spellings',
    );
  });

  it.each([...withWords, ['nothing but frequent words', 'paper purchase', ROWS / 4] as const])(
    'about %s',
    (_what, query, most) => expectFew(query, most),
  );
});
