import { expect, it } from 'vitest';
import { sql } from '../../../src/platform/database/database.ts';
import { readTopic } from '../../../src/platform/live-bus/read-log.ts';
import { openDatabase } from '../../support/database-client.ts';
import { createDatabase } from '../../support/server.ts';

const place = { tenantId: 'tenant', organizationId: 'acme', documentId: 'plan' };
const MB = 1024 * 1024;

it('a page of the log ends with the event that brings it to two megabytes, and the next page continues', async () => {
  const db = openDatabase(await createDatabase());
  await db.query(sql`
    INSERT INTO events (tenant_id, sequence, id, type, organization_id, document_id, data, created_at)
    SELECT 'tenant', n, 'event-' || n, 'comment.add', 'acme', 'plan',
           to_json(repeat('x', CASE WHEN n <= 3 THEN 10 ELSE ${MB} END)), now()
    FROM generate_series(1, 8) AS n`);
  const topic = { ...place, types: ['comment.add'] };
  const pages: bigint[][] = [];
  let after = 0n;
  do {
    const page = await readTopic(db, topic, { after, upTo: 7n, limit: 4 });
    pages.push(page.map(({ position }) => position));
    after = page.at(-1)?.position ?? 7n;
  } while (after < 7n);
  expect(pages).toEqual([[1n, 2n, 3n, 4n], [5n, 6n], [7n]]);
});
