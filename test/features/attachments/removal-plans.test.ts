import { expect, it } from 'vitest';
import type { Services } from '../../../src/api/context.ts';
import { removeFiles } from '../../../src/features/attachments/remove-files.ts';
import type { Sql } from '../../../src/platform/database/database.ts';
import { databasePool } from '../../support/database-client.ts';
import { maxRowsRead, PLAN_MODES } from '../../support/rows-read.ts';
import { createDatabase } from '../../support/server.ts';

const ROWS = 20_000;
/** The attachments whose files are removed at the same time. */
const STEP = 50;

const pool = databasePool(await createDatabase());

it('the rows of removed files are deleted without reading the others that are due', async () => {
  await pool.query(`
    INSERT INTO attachments (tenant_id, organization_id, document_id, attachment_id, name, type, size, created_ms,
      remove_at)
    SELECT 't', 'acme', 'plan', 'a' || n, '', '', 1, 1, 'epoch' FROM generate_series(1, ${ROWS}) AS n`);
  await pool.query('ANALYZE');
  const statements: Sql[] = [];
  const query = async (statement: Sql) => {
    statements.push(statement);
    // Only the first step runs.
    return statements.length === 1 ? (await pool.query(statement.text, statement.values)).rows : [];
  };
  const files = { remove: async () => undefined };
  await removeFiles({ db: { query }, clock: Date, files } as unknown as Services);
  const [, deletion] = statements;
  if (!deletion) throw new Error('Nothing was deleted.');
  for (const mode of PLAN_MODES) {
    expect(await maxRowsRead(pool, [deletion], mode), mode).toBeLessThanOrEqual(2 * STEP);
  }
  const { rows } = await pool.query('SELECT count(*)::int AS count FROM attachments');
  expect(rows).toEqual([{ count: ROWS - STEP }]);
});
