import { beforeAll, describe, expect, it } from 'vitest';
import type { KeyContext } from '../../../src/api/context.ts';
import { toAnnotationQuery } from '../../../src/features/comments/annotations/filters.ts';
import { getAnnotations } from '../../../src/features/comments/annotations/get-annotations.ts';
import { lockAnnotations } from '../../../src/features/comments/annotations/lock-annotations.ts';
import { GetAnnotations } from '../../../src/features/comments/annotations/schema.ts';
import { selectKeys } from '../../../src/features/comments/annotations/select-keys.ts';
import type { Transaction } from '../../../src/platform/database/database.ts';
import { annotationsOf } from '../../support/annotations.ts';
import { dataOf } from '../../support/answers.ts';
import { databasePool } from '../../support/database-client.ts';
import { readsOf, recordingDatabase } from '../../support/rows-read.ts';
import { testServer } from '../../support/server.ts';

const ROWS = 20_000;
const ROWS_ELSEWHERE = 10_000;
const PAGE = 10;
/**
 * Database blocks. In the worst case each row of the page is in its own block, read twice, beside
 * the blocks of the index.
 */
const MAX_BLOCKS = 100;

const server = testServer();
const comments = annotationsOf(server);
const place = { organizationId: 'large', documentId: 'document' };

/**
 * 200 documents, authors, locations and so on, each with many annotations in one organization, and
 * others in further organizations. Agents made every fifth, and few of those are of rare kinds.
 */
const FILLS = [
  `INSERT INTO organizations (tenant_id, organization_id)
   SELECT $1, 'other' || n FROM generate_series(0, 8) n`,
  `INSERT INTO documents (tenant_id, organization_id, document_id, document_name)
   SELECT tenant_id, organization_id, 'd' || n, 'd' FROM organizations, generate_series(0, 199) n
   WHERE tenant_id = $1`,
  `INSERT INTO folders (tenant_id, organization_id, folder_id, folder_name)
   SELECT $1, 'large', 'f' || n, 'f' FROM generate_series(0, 199) n`,
  `INSERT INTO comment_annotations (tenant_id, organization_id, document_id, folder_id,
     annotation_id, annotation_number, type, author_id, from_user, status_id, status, resolved_by, location_key,
     agent_id, execution_id, agent_type, agent_source, agent_kind, visibility, created_at,
     last_updated, last_comment_at, last_comment_by)
   SELECT $1, CASE WHEN n > ${ROWS} THEN 'other' || n % 9 ELSE 'large' END, 'd' || n % 200,
     'f' || n % 200, 'a' || n, n, 'comment', 'u' || n % 200,
     jsonb_build_object('userId', 'u' || n % 200), 's' || n % 3, '{"id":"s","type":"default"}',
     'u' || n % 200, 'l' || n % 200, agent.id, agent.execution,
     CASE WHEN agent.is_rare THEN 'external' WHEN NOT agent.is_rare THEN 'custom' END,
     CASE WHEN agent.is_rare THEN 'external' WHEN NOT agent.is_rare THEN 'internal' END,
     CASE WHEN agent.is_rare THEN 'suggestion' WHEN NOT agent.is_rare THEN 'comment' END,
     '{"type":"public"}', n, n + n % 5, n, 'u' || n % 200
   FROM generate_series(1, ${ROWS + ROWS_ELSEWHERE}) n LEFT JOIN LATERAL (
     SELECT 'g' || n % 200 AS id, 'e' || n % 200 AS execution, n % 1000 = 1 AS is_rare
     WHERE n % 5 = 1
   ) AS agent ON TRUE
   ORDER BY md5(n::text)`,
  `INSERT INTO annotation_users
     (tenant_id, annotation_id, user_id, organization_id, "user", mentioned, last_updated)
   SELECT $1, 'a' || n, 'u' || n % 200, 'large', '{}', TRUE, n
   FROM generate_series(1, ${ROWS}) n`,
];
beforeAll(async () => {
  dataOf(await comments.add(place, [{}]));
  // Connections of the server end statements after 30 seconds.
  const pool = databasePool(server.databaseUrl);
  for (const fill of FILLS) await pool.query(fill, [server.quickstart.apiKey]);
  const mentions = { organizationId: 'large', mentionedUserIds: ['u1'] };
  unanalyzed = (await readFor(mentions, 'desc')).rows;
  await pool.query('ANALYZE');
});

/** The rows that a page of mentions read before the tables had statistics. */
let unanalyzed: number;
it('a page of mentions looks up each annotation by its id, also without statistics', () => {
  expect(unanalyzed).toBeLessThan(ROWS);
});

async function readFor(filters: object, order: 'asc' | 'desc') {
  const ctx = { tenantId: server.quickstart.apiKey } as KeyContext;
  const range = { order, after: undefined, limit: PAGE + 1 };
  const statement = selectKeys(ctx, toAnnotationQuery(filters), undefined, range);
  const [reads] = await readsOf(server.app.services.db.pool, [statement]);
  if (!reads) throw new Error('Nothing was read.');
  return reads;
}

const FILTERS: Array<Record<string, unknown>> = [
  {},
  { documentId: 'd1' },
  { documentIds: ['d1', 'd2', 'd3'] },
  { userIds: ['u1', 'u2'] },
  { mentionedUserIds: ['u1'] },
  { statusIds: ['s0', 's1'] },
  { locationIds: ['l1'] },
  { folderId: 'f1' },
  { resolvedBy: 'u1' },
  { agentId: 'g1' },
  { executionId: 'e1' },
  { agentType: 'custom' },
  { agentSource: 'internal' },
  { agentComments: true },
  { updatedAfter: 100, updatedBefore: 10_000 },
  { createdAfter: 10_000 },
  { createdBefore: 10_000 },
  { createdBefore: 10_000, statusIds: ['s0', 's1'] },
  { createdAfter: 5_000, createdBefore: 10_000, updatedAfter: 7_000 },
];

it.each(FILTERS)(
  'a page with %j reads few rows, whatever the size of the table, in an organization and in the key',
  async (filters) => {
    for (const scope of [{ organizationId: 'large' }, {}]) {
      for (const order of ['desc', 'asc'] as const) {
        const { rows, blocks } = await readFor({ ...scope, ...filters }, order);
        const what = JSON.stringify([scope, order]);
        expect(rows, what).toBeLessThanOrEqual(10 * PAGE);
        expect(rows, what).toBeGreaterThanOrEqual(PAGE);
        expect(blocks, what).toBeLessThanOrEqual(MAX_BLOCKS);
      }
    }
    const query = { organizationId: 'large', ...filters, pageSize: PAGE };
    expect(await comments.get(query)).toHaveLength(PAGE);
  },
);

it('every index serves a list, since each costs every change of an annotation', async () => {
  const { rows } = await server.app.services.db.pool.query(
    `SELECT indexrelid::regclass::text AS name FROM pg_index
     WHERE indrelid = 'comment_annotations'::regclass AND NOT indisunique`,
  );
  const used = new Set<string>();
  for (const filters of FILTERS) {
    for (const scope of [{ organizationId: 'large' }, {}]) {
      const { indexes } = await readFor({ ...scope, ...filters }, 'desc');
      for (const index of indexes) used.add(index);
    }
  }
  const unused = rows.map(({ name }) => name).filter((name) => !used.has(name));
  expect(unused.join(' ')).toEqual('');
});

describe('annotations that are named by id', () => {
  const annotationIds = Array.from({ length: PAGE }, (_, n) => `a${n * 1_000 + 1}`);

  type Work = (ctx: KeyContext, tx: Transaction) => Promise<unknown>;
  const works: Array<[what: string, work: Work]> = [
    [
      'read',
      async (ctx) => {
        const input = { organizationId: 'large', annotationIds, pageSize: PAGE };
        const page = await getAnnotations(ctx, GetAnnotations.parse(input));
        expect(page.data).toHaveLength(PAGE);
      },
    ],
    [
      'change',
      async (ctx, tx) => {
        const query = toAnnotationQuery({ organizationId: 'large', annotationIds });
        expect(await lockAnnotations(ctx, tx, query, undefined)).toHaveLength(PAGE);
      },
    ],
  ];

  it.each(works)('are found without reading others: %s', async (_, work) => {
    const { services } = server.app;
    const { db: tx, statements } = recordingDatabase((statement) => services.db.query(statement));
    const ctx = { ...services, db: tx, tenantId: server.quickstart.apiKey };
    await work(ctx as unknown as KeyContext, tx as unknown as Transaction);
    for (const { blocks } of await readsOf(services.db.pool, statements)) {
      expect(blocks).toBeLessThanOrEqual(2 * MAX_BLOCKS);
    }
  });
});

it.each(['asc', 'desc'] as const)(
  'pages by the time of creation have no repeats or gaps, %s',
  async (order) => {
    const direction = order.toUpperCase();
    const { rows } = await server.app.services.db.pool.query(
      `SELECT annotation_id AS id FROM comment_annotations
     WHERE tenant_id = $1 AND organization_id = 'large' AND created_at < 3000
     ORDER BY last_updated ${direction}, annotation_id ${direction}`,
      [server.quickstart.apiKey],
    );
    const filters = { organizationId: 'large', createdBefore: 3_000, order };
    const pages = await comments.pages(filters, 700);
    expect(pages.flat()).toEqual(rows.map(({ id }) => id));
  },
);
