import { Database } from '../../../src/platform/database/database.ts';
import { EventFeed } from '../../../src/platform/events/event-feed.ts';
import { createLogger } from '../../../src/platform/logging.ts';
import { DueWork } from '../../../src/platform/loops/due-work.ts';
import { createMetrics } from '../../../src/platform/metrics/metrics.ts';
import { watchStatements } from '../../support/statements.ts';

/** The request to the process that follows the log. */
export interface FeedRequest {
  url: string;
  tenantIds: string[] | 'all';
}

/** What following the log has cost the process since its start. */
export interface FeedReport {
  handled: number;
  statements: number;
  rows: number;
  cpuMs: number;
}

const report: FeedReport = { handled: 0, statements: 0, rows: 0, cpuMs: 0 };

async function begin({ url, tenantIds }: FeedRequest): Promise<void> {
  const log = createLogger('silent');
  const db = new Database({ url, poolSize: 2, log });
  watchStatements(
    db.pool,
    () => {
      report.statements += 1;
    },
    (_text, { rows }) => {
      report.rows += rows.length;
    },
  );
  const parts = { db, log, metrics: createMetrics() };
  const dueWork = new DueWork({ ...parts, clock: Date });
  const events = { onMove: () => () => undefined };
  const feed = new EventFeed({ ...parts, dueWork, events, databaseUrl: url });
  feed.follow(
    async (handled) => {
      report.handled += handled.length;
    },
    { allTenants: tenantIds === 'all' },
  );
  feed.start();
  const { signal } = new AbortController();
  for (const tenantId of tenantIds === 'all' ? [] : tenantIds) {
    await feed.serveTenant(tenantId, signal);
  }
}

process.once('disconnect', () => process.exit());

process.on('message', async (message: FeedRequest | 'report') => {
  if (message !== 'report') await begin(message);
  const { user, system } = process.cpuUsage();
  process.send?.({ ...report, cpuMs: (user + system) / 1_000 });
});
