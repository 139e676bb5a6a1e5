import { setTimeout as sleep } from 'node:timers/promises';
import { beforeAll, describe, expect, it } from 'vitest';
import { allEvents } from '../support/events.ts';
import { eventually } from '../support/eventually.ts';
import { type Receiver, startReceiver } from '../support/receiver.ts';
import { startTestServer, type TestServer } from '../support/server.ts';
import { createEndpoint, tell, webhookTenant } from '../support/webhooks.ts';
import { WorkerProcess } from '../support/worker-process.ts';

/** For how long workers are killed. A minute, when one wants to be sure: CHAOS_SECONDS=60. */
const SECONDS = Number(process.env.CHAOS_SECONDS ?? 10);
const WORKERS = 2;
const DOCUMENTS = 10;
/**
 * After the last kill: what a dead worker held is free after its lease, and then all is sent, each
 * document's one after the other, which takes its time on a busy machine.
 */
const DRAIN_MS = 60_000 + 3_000 * SECONDS;

const SECRET_KEY = Buffer.alloc(32, 5).toString('base64');
const OUTBOUND_ALLOWED_NETWORKS = '127.0.0.0/8';

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer({ ROLES: 'api', SECRET_KEY, OUTBOUND_ALLOWED_NETWORKS });
});

interface Told {
  documentId: string;
  n: number;
  type: string;
}

const nameOf = ({ documentId, n }: Told) => `${documentId}/${n}`;

/** What a receiver got, without what came again, in the order in which it came first. */
const firstArrivals = ({ received }: Receiver): string[] => [
  ...new Set(
    received.map(({ event }) => nameOf({ ...event.data, documentId: event.metadata.documentId })),
  ),
];

const byDocument = (names: string[]) => Map.groupBy(names, (name) => name.split('/')[0]);

describe('deliveries, while workers are killed at random moments', () => {
  it(
    'lose no event, and stay in order for each document',
    async () => {
      const headers = await webhookTenant(server);
      const [all, some] = [await startReceiver(), await startReceiver()];
      await createEndpoint(server, headers, { url: all.url });
      await createEndpoint(server, headers, { url: some.url, filterTypes: ['comment.update'] });
      const told: Told[] = [];
      const end = performance.now() + SECONDS * 1000;
      const load = tellUntil(end, headers, told);
      const kills = await killUntil(end);
      await load;
      expect(kills).toBeGreaterThan(1);

      const names = told.map(nameOf);
      const updates = told.filter(({ type }) => type === 'comment.update').map(nameOf);
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

/** Commits small batches, one after the other, each event with the next number of its document. */
async function tellUntil(end: number, headers: Record<string, string>, told: Told[]) {
  for (let n = 0; performance.now() < end; n++) {
    const batch = Array.from({ length: DOCUMENTS }, (_, document) => ({
      documentId: `d${document}`,
      n,
      type: (n + document) % 3 === 0 ? 'comment.update' : 'comment.add',
    }));
    await tell(
      server,
      headers,
      batch.map(({ documentId, type }) => ({ documentId, type, data: { n } })),
    );
    told.push(...batch);
    await sleep(20);
  }
}

/** Keeps some workers running, and kills one of them again and again. */
async function killUntil(end: number): Promise<number> {
  const workers = await Promise.all(
    Array.from({ length: WORKERS }, () => WorkerProcess.start(environment())),
  );
  // The first ones must have come to work, else nothing is killed that matters.
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
