import { Pool } from 'pg';
import { beforeAll, expect, it } from 'vitest';
import { wasDeleted } from '../../../src/platform/live-bus/read-log.ts';
import { maxRowsRead, PLAN_MODES, recordingDatabase } from '../../support/rows-read.ts';
import { createDatabase } from '../../support/server.ts';
import { whenFileEnds } from '../../support/when-file-ends.ts';

const EVENTS = 20_000;

const pool = new Pool({ connectionString: await createDatabase() });
// The database may be dropped before connections of a pool that has ended are closed.
pool.on('connect', (client) => client.on('error', () => undefined));
whenFileEnds(() => pool.end());

/** The log of one tenant, with one event in a hundred about the deletion of a document. */
beforeAll(async () => {
  await pool.query(
    `INSERT INTO events (tenant_id, id, type, organization_id, document_id, channels, data, created_at)
     SELECT 't', n, CASE WHEN n % 100 = 0 THEN 'document.delete' ELSE 'comment.add' END, 'acme',
            'd' || n % 10, '{}', to_json(repeat('x', 300)), now()
     FROM generate_series(1, $1::int) AS n`,
    [EVENTS],
  );
  await pool.query('ANALYZE events');
});

it.each(PLAN_MODES)(
  'the deletion of a document is looked for without reading the log, with %s',
  async (mode) => {
    const { db, statements } = recordingDatabase();
    const document = { tenantId: 't', organizationId: 'acme', documentId: 'd7' };
    await wasDeleted(db, document, { after: 0n, upTo: BigInt(EVENTS) });
    expect(await maxRowsRead(pool, statements, mode)).toBeLessThan(10);
  },
);
