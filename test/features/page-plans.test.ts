import { beforeAll, describe, expect, it } from 'vitest';
import type { KeyContext } from '../../src/api/context.ts';
import { listVersions } from '../../src/features/crdt/versions/versions.ts';
import { getUsers } from '../../src/features/users/get-users.ts';
import type { Queryable, Sql } from '../../src/platform/database/database.ts';
import { makePlan } from '../support/editors.ts';
import { mostRowsRead, PLAN_MODES } from '../support/rows-read.ts';
import { testServer } from '../support/server.ts';

const ROWS = 20_000;
const PAGE = 10;
const organizationId = 'acme';
const editor = { organizationId, documentId: 'plan', editorId: 'body' };

const server = testServer();

beforeAll(async () => {
  await makePlan(server);
  await server.call('/v2/crdt/add', { ...editor, type: 'text', data: 'one' }, server.keyHeaders);
  const { pool } = server.app.services.db;
  const values = [ROWS, server.quickstart.apiKey];
  await pool.query(
    `INSERT INTO crdt_versions (tenant_id, log_id, number, version_id, version, snapshot, created_at)
     SELECT tenant_id, log_id, n, 'version-' || n, 1, '', now()
     FROM crdt_documents, generate_series(1, $1::int) AS n WHERE tenant_id = $2`,
    values,
  );
  await pool.query(
    `INSERT INTO users (tenant_id, user_id)
     SELECT $2, 'user-' || n FROM generate_series(1, $1::int) AS n`,
    values,
  );
  await pool.query(
    `INSERT INTO grants
       (tenant_id, organization_id, resource_type, resource_id, user_id, access_role)
     SELECT $2, 'acme', 'organization', 'acme', 'user-' || n, 'viewer'
     FROM generate_series(1, $1::int) AS n`,
    values,
  );
  await pool.query('ANALYZE');
});

interface Page {
  data: unknown[];
  nextPageToken: string | undefined;
}

interface Where {
  pageSize: number;
  pageToken: string | undefined;
}

type Read = (ctx: KeyContext, where: Where) => Promise<Page>;

const lists: Array<[what: string, read: Read]> = [
  ['users', (ctx, where) => getUsers(ctx, { organizationId, ...where })],
  ['versions', (ctx, where) => listVersions(ctx, { ...editor, ...where })],
];

/** Reads a page, and collects the statements that it sends. */
async function readPage(read: Read, where: Where) {
  const { services } = server.app;
  const statements: Sql[] = [];
  const watched: Queryable = {
    query: (statement) => {
      statements.push(statement);
      return services.db.query(statement);
    },
  };
  const ctx = { ...services, db: watched, tenantId: server.quickstart.apiKey } as KeyContext;
  const page = await read(ctx, where);
  expect(page.data).toHaveLength(where.pageSize);
  return { ...page, statements };
}

async function expectFewRows(read: Read, pageToken: string | undefined): Promise<void> {
  const { statements } = await readPage(read, { pageSize: PAGE, pageToken });
  for (const mode of PLAN_MODES) {
    const rows = await mostRowsRead(server.app.services.db.pool, statements, mode);
    expect(rows, mode).toBeLessThanOrEqual(5 * PAGE);
  }
}

describe('a page reads few rows, however many rows there are', () => {
  it.each(lists)('the first page and one in the middle, of %s', async (_, read) => {
    await expectFewRows(read, undefined);
    const before = await readPage(read, { pageSize: ROWS / 2, pageToken: undefined });
    await expectFewRows(read, before.nextPageToken);
  });
});
