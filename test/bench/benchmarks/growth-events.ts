import type { Client } from 'pg';
import { Secrets } from '../../../src/platform/secrets.ts';
import { growthOfLists, type Tables } from '../growth/lists.ts';
import { SECRET_KEY, TENANT } from '../harness/credentials.ts';
import { fillBy } from '../harness/fill.ts';

const path = '/v2/events/get';
const limit = 50;
/** As the server makes cursors: a sealed number, padded. */
const cursorAfter = (sequence: number) =>
  new Secrets(SECRET_KEY).seal(String(sequence).padStart(19, '0'), `events/${TENANT}/cursor`);

function tables(count: number): Tables {
  return {
    'Events, 50 a call': {
      'from the oldest': { path, data: { limit } },
      'after a cursor in the middle': {
        path,
        data: { limit, after: cursorAfter(Math.floor(count / 2)) },
      },
      'nothing new': { path, data: { limit, after: cursorAfter(count) } },
      'of a type that every tenth has': { path, data: { limit, types: ['comment.add'] } },
      'of a type that only ten have': { path, data: { limit, types: ['recording.delete'] } },
    },
  };
}

const fill = (database: Client, count: number) =>
  fillBy(database, count, [
    `INSERT INTO events (tenant_id, sequence, id, type, organization_id, document_id, channels,
       data, created_at)
     SELECT :tenant, n, 'event-' || n,
       CASE WHEN n % (:count / 10) = 7 THEN 'recording.delete'
            WHEN n % 10 = 0 THEN 'comment.add' ELSE 'presence.update' END,
       'acme', 'document-' || n % 1000, '{}', '{"document": {"id": "plan"}}', now()
     FROM generate_series(1, :count) AS n`,
    `SELECT setval(pg_get_serial_sequence('events', 'sequence'), :count)`,
  ]);

export default growthOfLists({
  name: 'growth-events',
  sizeOf: 'events',
  reasons: {
    'of a type that only ten have':
      'It reads the log from its beginning. The cursor of its answer is after all that it read, so a reader passes over each event once. An index by type would cost every event a write.',
  },
  fill,
  tables,
});
