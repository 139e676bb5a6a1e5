import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { moveFromOutbox } from '../../src/platform/events/event-log.ts';
import { eventually } from '../support/eventually.ts';
import { startTestServer, type TestServer } from '../support/server.ts';

/** More than are moved between two vacuums. */
const MANY = 25_000;

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer({ ROLES: 'api' });
});

const pool = () => server.app.services.db.pool;

/** As by a transaction that has just committed. */
const addToOutbox = (count: number) =>
  pool().query(
    `INSERT INTO event_outbox (tenant_id, id, type, channels, data)
     SELECT $1, 'bulk-' || gen_random_uuid(), 'document.add', '{}', '{}'
     FROM generate_series(1, $2::int)`,
    [server.quickstart.apiKey, count],
  );

interface Node {
  'Node Type': string;
  'Relation Name'?: string;
  Plans?: Node[];
}

const nodesOf = (node: Node): Node[] => [node, ...(node.Plans ?? []).flatMap(nodesOf)];

/** How the outbox would be read by a move. */
async function scansOfMove(): Promise<string[]> {
  const { rows } = await pool().query(`EXPLAIN (FORMAT JSON) ${moveFromOutbox.text}`, [
    ...moveFromOutbox.values,
  ]);
  const nodes = nodesOf(rows[0]['QUERY PLAN'][0].Plan);
  return nodes
    .filter(
      (node) => node['Relation Name'] === 'event_outbox' && node['Node Type'] !== 'ModifyTable',
    )
    .map((node) => node['Node Type']);
}

describe('the outbox', () => {
  beforeEach(() => server.app.services.events.sequence());

  it('is not read as a whole by a move, whatever is known of it', async () => {
    await pool().query('ALTER TABLE event_outbox SET (autovacuum_enabled = false)');
    await addToOutbox(MANY);
    const unknown = await scansOfMove();
    await pool().query('ANALYZE event_outbox');
    const full = await scansOfMove();
    await pool().query('DELETE FROM event_outbox /* all tenants */');
    const dead = await scansOfMove();
    for (const scans of [unknown, full, dead]) {
      expect(scans).not.toEqual([]);
      expect(scans).not.toContain('Seq Scan');
    }
  });

  it('is vacuumed when much was moved', async () => {
    const vacuumed = async () => {
      const { rows } = await pool().query(
        `SELECT vacuum_count::int AS count FROM pg_stat_user_tables WHERE relname = 'event_outbox'`,
      );
      return rows[0].count;
    };
    const before = await vacuumed();
    await addToOutbox(MANY);
    await server.app.services.events.sequence();
    await eventually(async () => expect(await vacuumed()).toBeGreaterThan(before));
  });
});
