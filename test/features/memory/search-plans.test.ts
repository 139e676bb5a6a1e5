import { beforeAll, describe, expect, it } from 'vitest';
import { deleteJudgmentsOnComments } from '../../../src/features/memory/erasure.ts';
import { indexJudgments } from '../../../src/features/memory/judgments/store-judgments.ts';
import { suggestDecision } from '../../../src/features/memory/suggest/suggest-decision.ts';
import { ALL_TERMS, termKey } from '../../../src/features/memory/text/term-keys.ts';
import { termsOf } from '../../../src/features/memory/text/terms.ts';
import type { Sql, Transaction } from '../../../src/platform/database/database.ts';
import type { Erasure } from '../../../src/platform/erasure/step.ts';
import { databasePool } from '../../support/database-client.ts';
import { organize } from '../../support/directory.ts';
import { memoryOf } from '../../support/memory.ts';
import { maxRowsRead, recordingDatabase, stopAutovacuum } from '../../support/rows-read.ts';
import { startTestServer } from '../../support/server.ts';

const ROWS = 20_000;
/** How many judgments contain each word. A judgment with a word also contains the words before it. */
const WORDS: Array<[word: string, judgments: number]> = [
  ['paper', ROWS],
  ['purchase', ROWS],
  ['marble', ROWS / 10],
  ['zeppelin', ROWS / 1000],
];

const server = await startTestServer({ ROLES: 'api' });
const tenant = server.quickstart.apiKey;

beforeAll(async () => {
  // Connections of the server end statements after 30 seconds.
  const pool = databasePool(server.databaseUrl);
  await stopAutovacuum(pool);
  const keysIn = (organizationId: string | null) =>
    WORDS.flatMap(([word]) => [...termsOf(word).keys()]).map((word) =>
      termKey(tenant, organizationId, word),
    );
  await pool.query(
    `INSERT INTO memory_judgments (tenant_id, record_id, organization_id, query, decision, side,
       judge_type, created_ms, recorded_ms, fingerprint, terms, organization_terms)
     SELECT $1, 'r' || n, 'acme', 'q', 'approved', 1, 'human', n, n, n,
       array_to_tsvector(($2::text[])[1:words]), array_to_tsvector(($3::text[])[1:words])
     FROM generate_series(1, $4::int) n, LATERAL (
       SELECT 2 + (n % 10 = 0)::int + (n % 1000 = 0)::int AS words) AS counted`,
    [tenant, keysIn(null), keysIn('acme'), ROWS],
  );
  const counted = [null, 'acme'].flatMap((organizationId) =>
    keysIn(organizationId).map((key, index) => [key, WORDS[index]?.[1] ?? 0] as const),
  );
  counted.push([termKey(tenant, null, ALL_TERMS), ROWS]);
  await pool.query(
    `INSERT INTO memory_terms (tenant_id, term, judgments)
     SELECT $1, term, judgments FROM unnest($2::text[], $3::int[]) AS counted(term, judgments)`,
    [tenant, counted.map(([key]) => key), counted.map(([, judgments]) => judgments)],
  );
});

/**
 * A suggestion reads the terms of the question, the candidates of two scopes, the terms of the nearest
 * judgments, and these judgments.
 */
const MAX_STATEMENTS = 5;

/** The statements that a suggestion sends. */
async function statementsOf(query: string): Promise<Sql[]> {
  const { services } = server.app;
  const { db, statements } = recordingDatabase((statement) => services.db.query(statement));
  const ctx = { db, clock: { now: () => ROWS }, tenantId: tenant };
  const { primary } = await suggestDecision(ctx, { query, organizationId: 'acme' });
  expect(primary).toMatchObject({ recommendation: 'approve', scope: 'organization' });
  expect(statements.length).toBeLessThanOrEqual(MAX_STATEMENTS);
  return statements;
}

async function expectFewRows(query: string, maxRows: number): Promise<void> {
  const statements = await statementsOf(query);
  const read = await maxRowsRead(server.app.services.db.pool, statements);
  expect(read).toBeLessThanOrEqual(maxRows);
}

const withWords: Array<[what: string, query: string, maxRows: number]> = [
  ['a rare word', 'zeppelin', 100],
  ['words that are rare together', 'marble paper purchase', ROWS / 4],
];

describe.each([
  [
    'without statistics',
    `DELETE FROM pg_statistic WHERE starelid::regclass::text LIKE 'memory_%'`,
    withWords,
  ],
  [
    'with statistics',
    'ANALYZE memory_judgments, memory_terms',
    [...withWords, ['nothing but frequent words', 'paper purchase', ROWS / 4] as const],
  ],
])('%s, a suggestion reads few rows', (_, prepare, questions) => {
  beforeAll(() => server.app.services.db.pool.query(prepare));

  it.each(questions)('about %s', (_what, query, maxRows) => expectFewRows(query, maxRows));
});

describe('an erasure of contents', () => {
  const COMMENTS = 200;

  beforeAll(async () => {
    await organize(server, 'acme', { documents: ['plan'] });
    const comments = Array.from({ length: COMMENTS }, (_, n) => ({
      commentId: n + 1,
      commentText: `Item ${n}`,
      from: { userId: 'ada' },
    }));
    await server.ok('/v2/commentannotations/add', {
      ...{ organizationId: 'acme', documentId: 'plan' },
      commentAnnotations: [{ annotationId: 'thread', commentData: comments }],
    });
    await server.app.services.db.pool.query(
      `UPDATE memory_judgments SET document_id = 'plan', query = 'Item ' || created_ms
       WHERE tenant_id = $1`,
      [tenant],
    );
  });

  it('reads the judgments of a document once, however many comments are erased there', async () => {
    const { db: tx, statements } = recordingDatabase();
    const erasure = { tenantId: tenant, userIds: ['ada'], organizationIds: undefined };
    await deleteJudgmentsOnComments.run(
      erasure as unknown as Erasure,
      tx as unknown as Transaction,
      [],
    );
    const read = await maxRowsRead(server.app.services.db.pool, statements);
    expect(read).toBeLessThan(2 * ROWS);
  });
});

describe('an import of judgments', () => {
  it('indexes them in few statements, and lets others add judgments meanwhile', async () => {
    const { db } = server.app.services;
    await db.pool.query(
      `UPDATE memory_judgments SET index_version = 0, query = 'Item ' || created_ms
       WHERE tenant_id = $1`,
      [tenant],
    );
    let statements = 0;
    await db.transaction(async (tx) => {
      const query: Transaction['query'] = async (statement) => {
        statements += 1;
        const rows = await tx.query(statement);
        const judgments = [{ query: 'Item of another', decision: 'approved' }];
        if (statements === 5) await server.ok('/v2/memory/judgments/add', { judgments });
        return rows as never;
      };
      await indexJudgments({ query } as Transaction, tenant);
    });
    expect(statements).toBeLessThan(ROWS / 250);
    const found = await memoryOf(server).search(`Item ${ROWS}`);
    expect(found[0]).toMatchObject({ query: `Item ${ROWS}`, similarity: 1 });
    const counts = await db.pool.query(
      'SELECT judgments FROM memory_terms WHERE tenant_id = $1 AND term = $2',
      [tenant, termKey(tenant, null, 'item')],
    );
    expect(counts.rows).toEqual([{ judgments: ROWS + 1 }]);
  });
});
