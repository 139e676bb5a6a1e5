import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import { Database } from '../../../src/platform/database/database.ts';
import { EventLog } from '../../../src/platform/events/event-log.ts';
import { createLogger } from '../../../src/platform/logging.ts';
import { createMetrics } from '../../../src/platform/metrics/metrics.ts';
import type { Finding, Measurement } from '../harness/benchmark.ts';
import { withFilled } from '../harness/databases.ts';
import type { FeedReport, FeedRequest } from '../harness/feed-process.ts';

const tenants = Array.from({ length: 100 }, (_, n) => `key-${String(n).padStart(24, '0')}`);
/** Processes that follow the log at the same time. The first one is what others are compared with. */
const SERVED: Record<string, FeedRequest['tenantIds']> = {
  'all, as a worker': 'all',
  'each of 100 keys': tenants,
  '1 of 100 keys': tenants.slice(0, 1),
  none: [],
};
/** Moves into the log, and the events of each. */
const LOADS = [
  { moves: 500, events: 1 },
  { moves: 200, events: 20 },
  { moves: 20, events: 1_000 },
];
/** After this time a process that gets no events has received all notifications. */
const SETTLE_MS = 1_000;

/** What it costs a process that another one moves events into the log, by the keys that it serves. */
const eventsFollow: Measurement = {
  name: 'events-follow',
  measure: (postgres) =>
    withFilled(
      postgres,
      async () => undefined,
      async (url) => {
        const log = createLogger('silent');
        const db = new Database({ url, poolSize: 2, log });
        const types = { 'comment.add': { summary: '', data: z.unknown(), example: {} } };
        const parts = { db, moves: db, clock: Date, log, metrics: createMetrics() };
        const events = new EventLog({ ...parts, types });
        const followers = Object.entries(SERVED).map(
          ([label, tenantIds]) => new FollowingProcess(label, { url, tenantIds }),
        );
        try {
          for (const follower of followers) await follower.begin();
          const findings: Finding[] = [];
          for (const load of LOADS) findings.push(...(await measure(load, events, db, followers)));
          return findings;
        } finally {
          for (const follower of followers) follower.end();
          await events.stop();
          await db.close();
        }
      },
    ),
};

class FollowingProcess {
  readonly label: string;
  readonly #request: FeedRequest;
  readonly #child: ChildProcess = fork(
    path.join(import.meta.dirname, '../harness/feed-process.ts'),
  );

  constructor(label: string, request: FeedRequest) {
    this.label = label;
    this.#request = request;
  }

  begin(): Promise<FeedReport> {
    return this.#ask(this.#request);
  }

  report(): Promise<FeedReport> {
    return this.#ask('report');
  }

  end(): void {
    this.#child.disconnect();
  }

  async #ask(message: FeedRequest | 'report'): Promise<FeedReport> {
    const answer = once(this.#child, 'message');
    this.#child.send(message);
    const [report]: [FeedReport] = await (answer as Promise<[FeedReport]>);
    return report;
  }
}

async function measure(
  load: (typeof LOADS)[number],
  events: EventLog,
  db: Database,
  followers: FollowingProcess[],
): Promise<Finding[]> {
  await move({ ...load, moves: Math.ceil(load.moves / 10) }, events, db);
  await sleep(SETTLE_MS);
  const before = await Promise.all(followers.map((follower) => follower.report()));
  await move(load, events, db);
  await sleep(SETTLE_MS);
  const after = await Promise.all(followers.map((follower) => follower.report()));
  const total = load.moves * load.events;
  const costs = after.map((report, at) => difference(report, before[at] ?? report));
  const [first] = costs;
  return costs.map((cost, at) => ({
    label: `${load.events} at a time: ${followers[at]?.label}`,
    value: [
      `${((1_000 * cost.cpuMs) / total).toFixed(2)} us of its processor per event`,
      `${(cost.cpuMs / (first?.cpuMs ?? Number.NaN)).toFixed(3)} times`,
      `${(cost.statements / load.moves).toFixed(3)} statements per move`,
      `${(cost.rows / total).toFixed(3)} rows per event`,
    ].join(', '),
  }));
}

const difference = (after: FeedReport, before: FeedReport): FeedReport => ({
  handled: after.handled - before.handled,
  statements: after.statements - before.statements,
  rows: after.rows - before.rows,
  cpuMs: after.cpuMs - before.cpuMs,
});

/** The events of a move are of keys in turn. */
async function move(
  { moves, events: count }: (typeof LOADS)[number],
  events: EventLog,
  db: Database,
): Promise<void> {
  for (let n = 0; n < moves; n++) {
    const tenantIds = Array.from({ length: count }, (_, at) => tenants[(n * count + at) % 100]);
    await db.pool.query(
      `INSERT INTO event_outbox (tenant_id, id, type, organization_id, document_id, channels, data)
       SELECT tenant_id, gen_random_uuid(), 'comment.add', 'acme', 'document', '{}', '{}'
       FROM unnest($1::text[]) AS event(tenant_id)`,
      [tenantIds],
    );
    await events.sequence();
  }
}

export default eventsFollow;
