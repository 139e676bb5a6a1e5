import { expect, it } from 'vitest';
import { wasDeleted } from '../../../src/platform/live-bus/read-log.ts';
import { databasePool } from '../../support/database-client.ts';
import { maxRowsRead, recordingDatabase } from '../../support/rows-read.ts';
import { createDatabase } from '../../support/server.ts';

const EVENTS = 20_000;

it('the deletion of a document is looked for without reading the log', async () => {
  const pool = databasePool(await createDatabase());
  // One event in a hundred is about the deletion of a document.
  await pool.query(
    `INSERT INTO events (tenant_id, id, type, organization_id, document_id, channels, data, created_at)
     SELECT 't', n, CASE WHEN n % 100 = 0 THEN 'document.delete' ELSE 'comment.add' END, 'acme',
            'd' || n % 10, '{}', to_json(repeat('x', 300)), now()
     FROM generate_series(1, $1::int) AS n`,
    [EVENTS],
  );
  await pool.query('ANALYZE events');
  const { db, statements } = recordingDatabase();
  const document = { tenantId: 't', organizationId: 'acme', documentId: 'd7' };
  await wasDeleted(db, document, { after: 0n, upTo: BigInt(EVENTS) });
  expect(await maxRowsRead(pool, statements)).toBeLessThan(10);
});
