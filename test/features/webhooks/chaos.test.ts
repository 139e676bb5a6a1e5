import { setTimeout as sleep } from 'node:timers/promises';
import { beforeAll, describe, expect, it } from 'vitest';
import { allEvents } from '../../support/events.ts';
import { eventually } from '../../support/eventually.ts';
import { type Receiver, startReceiver } from '../../support/receiver.ts';
import { startTestServer, type TestServer } from '../../support/server.ts';
import { createEndpoint, publishEvents, webhookTenant } from '../../support/webhooks.ts';
import { WorkerProcess } from '../../support/worker-process.ts';

/** How long workers are killed, in seconds. CHAOS_SECONDS=60 makes a thorough run. */
const SECONDS = Number(process.env.CHAOS_SECONDS ?? 10);
const WORKERS = 2;
const DOCUMENTS = 10;
/**
 * After the last kill, the deliveries of a dead worker are free when their lease expires. Each
 * document's deliveries are then sent one after the other, which is slow on a busy machine.
 */
const DRAIN_MS = 60_000 + 3_000 * SECONDS;

const SECRET_KEY = Buffer.alloc(32, 5).toString('base64');
const OUTBOUND_ALLOWED_NETWORKS = '127.0.0.0/8';

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer({ ROLES: 'api', SECRET_KEY, OUTBOUND_ALLOWED_NETWORKS });
});

interface Published {
  documentId: string;
  n: number;
  type: string;
}

const nameOf = ({ documentId, n }: Published) => `${documentId}/${n}`;

/** The ids that a receiver got, without repeats, in the order of their first arrival. */
const firstArrivals = ({ received }: Receiver): string[] => [
  ...new Set(
    received.map(({ event }) => nameOf({ ...event.data, documentId: event.metadata.documentId })),
  ),
];

const byDocument = (names: string[]) => Map.groupBy(names, (name) => name.split('/')[0]);

describe('deliveries, while workers are killed at random', () => {
  it(
    'are never lost, and stay in order for each document',
    async () => {
      const headers = await webhookTenant(server);
      const [all, some] = [await startReceiver(), await startReceiver()];
      await createEndpoint(server, headers, { url: all.url });
      await createEndpoint(server, headers, { url: some.url, filterTypes: ['comment.update'] });
      const published: Published[] = [];
      const end = performance.now() + SECONDS * 1000;
      const load = publishUntil(end, headers, published);
      const kills = await killUntil(end);
      await load;
      expect(kills).toBeGreaterThan(1);

      const names = published.map(nameOf);
      const updates = published.filter(({ type }) => type === 'comment.update').map(nameOf);
      const last = await WorkerProcess.start(environment());
      try {
        await eventually(() => {
          expect(firstArrivals(all)).toHaveLength(names.length);
          expect(firstArrivals(some)).toHaveLength(updates.length);
        }, DRAIN_MS);
      } finally {
        await last.kill();
      }
      expect(byDocument(firstArrivals(all))).toEqual(byDocument(names));
      expect(byDocument(firstArrivals(some))).toEqual(byDocument(updates));

      const events = await allEvents(server, {}, headers);
      const inLog = events.map(({ data, metadata }) =>
        nameOf({ ...data, documentId: metadata.documentId }),
      );
      expect(inLog).toEqual(names);
      expect(new Set(all.received.map(({ headers: sent }) => sent['webhook-id']))).toEqual(
        new Set(events.map(({ id }) => id)),
      );
    },
    SECONDS * 1000 + DRAIN_MS + 30_000,
  );
});

const environment = () => ({
  DATABASE_URL: server.databaseUrl,
  SECRET_KEY,
  OUTBOUND_ALLOWED_NETWORKS,
});

/** Commits small batches in sequence. Each event has the next number of its document. */
async function publishUntil(end: number, headers: Record<string, string>, published: Published[]) {
  for (let n = 0; performance.now() < end; n++) {
    const batch = Array.from({ length: DOCUMENTS }, (_, document) => ({
      documentId: `d${document}`,
      n,
      type: (n + document) % 3 === 0 ? 'comment.update' : 'comment.add',
    }));
    await publishEvents(
      server,
      headers,
      batch.map(({ documentId, type }) => ({ documentId, type, data: { n } })),
    );
    published.push(...batch);
    await sleep(20);
  }
}

/** Keeps some workers running, and kills one of them repeatedly. */
async function killUntil(end: number): Promise<number> {
  const workers = await Promise.all(
    Array.from({ length: WORKERS }, () => WorkerProcess.start(environment())),
  );
  // The first workers must have started work, so that a kill interrupts something.
  await sleep(2_000);
  let kills = 0;
  while (performance.now() < end) {
    const victim = Math.floor(Math.random() * WORKERS);
    await workers[victim]?.kill();
    kills += 1;
    workers[victim] = await WorkerProcess.start(environment());
    await sleep(200 + Math.random() * 2_300);
  }
  await Promise.all(workers.map((worker) => worker.kill()));
  return kills + WORKERS;
}
