import type { Client } from 'pg';
import { type Point, timeByTurns } from '../growth/by-turns.ts';
import { sizesBetween } from '../growth/sizes.ts';
import type { Growth, Sample } from '../harness/benchmark.ts';
import { TENANT } from '../harness/credentials.ts';
import { type Postgres, withFilled } from '../harness/databases.ts';
import { EventReceiver } from '../harness/event-receiver.ts';
import { fillBy } from '../harness/fill.ts';
import { HttpConnection } from '../harness/http-connection.ts';
import { startOurs } from '../harness/servers.ts';
import { seedEndpoints } from '../harness/webhooks.ts';

const PLOT = 'Webhooks while deliveries wait';
const DELIVERIES = '/v2/workspace/advancedwebhook/deliveries/get';
/** From this size on, the rate of a whole backlog says something. */
const MIN_BACKLOG = 1_000;
const DEADLINE_MS = 300_000;

/** 1 to 100,000 deliveries wait for their turn at one endpoint. */
const waitingDeliveries: Growth = {
  name: 'growth-waiting-deliveries',
  sizeOf: 'waiting deliveries',
  async sample(postgres) {
    const samples: Sample[] = [];
    for (const size of sizesBetween(1, 100_000)) {
      samples.push(...(await beside(postgres, size)));
      if (size >= MIN_BACKLOG) samples.push(await drain(postgres, size));
    }
    return samples;
  },
};

/** Webhooks to another endpoint, while one that allows a delivery a second has a backlog. */
async function beside(postgres: Postgres, size: number): Promise<Sample[]> {
  const receiver = await EventReceiver.start();
  const prepare = async (database: Client) => {
    await seedEndpoints(database, [
      { id: 'waiting', url: receiver.url, filterType: 'comment.add' },
      { id: 'prompt', url: receiver.url, filterType: 'user.add' },
    ]);
    await database.query(`UPDATE webhook_endpoints SET rate_limit = 1 WHERE id = 'waiting'`);
    await fillBacklog(database, size);
  };
  try {
    return await withFilled(postgres, prepare, async (url) => {
      const server = await startOurs(url, { OUTBOUND_ALLOWED_NETWORKS: '127.0.0.0/8' });
      const connection = await HttpConnection.open(server.url);
      try {
        return await timeByTurns(pointsOf(size, connection, receiver));
      } finally {
        connection.close();
        await server.stop();
      }
    });
  } finally {
    receiver.stop();
  }
}

function pointsOf(size: number, connection: HttpConnection, receiver: EventReceiver): Point[] {
  const post = async (path: string, data: object) => {
    const { status, body } = await connection.post({ path, data });
    if (status !== 200) throw new Error(body);
  };
  return [
    {
      table: PLOT,
      line: 'from a call to its webhook',
      size,
      async run(n) {
        const userId = `new-user-${n}-`;
        const arrived = receiver.next(userId, DEADLINE_MS);
        await post('/v1/users/add', { organizationId: 'acme', users: [{ userId }] });
        await arrived;
      },
    },
    {
      table: PLOT,
      line: 'list of one waiting delivery',
      size,
      run: () => post(DELIVERIES, { limit: 1, status: 'pending', endpointId: 'waiting' }),
    },
  ];
}

/** The time for each of the backlog, once its endpoint may receive all of it. */
async function drain(postgres: Postgres, size: number): Promise<Sample> {
  const receiver = await EventReceiver.start();
  const prepare = async (database: Client) => {
    const endpoint = { id: 'waiting', url: receiver.url, filterType: 'comment.add' };
    await seedEndpoints(database, [endpoint]);
    await fillBacklog(database, size);
  };
  try {
    return await withFilled(postgres, prepare, async (url) => {
      const server = await startOurs(url, { OUTBOUND_ALLOWED_NETWORKS: '127.0.0.0/8' });
      try {
        await receiver.received(size, DEADLINE_MS);
      } finally {
        await server.stop();
      }
      const [first = 0] = receiver.arrivals;
      const cost = ((receiver.arrivals[size - 1] ?? 0) - first) / (size - 1);
      const table = 'A backlog of webhooks, for each of them';
      return { table, line: 'from first to last', size, unit: 'ms', median: cost };
    });
  } finally {
    receiver.stop();
  }
}

/** Deliveries to the endpoint `waiting` that are all due. */
const fillBacklog = (database: Client, count: number): Promise<void> =>
  fillBy(database, count, [
    `INSERT INTO organizations (tenant_id, organization_id) VALUES (:tenant, 'acme')`,
    `INSERT INTO events (tenant_id, sequence, id, type, organization_id, document_id, channels,
       data, created_at)
     SELECT :tenant, n, 'event-' || n, 'comment.add', 'acme', 'document-' || n, '{}', '{"n":1}', now()
     FROM generate_series(1, :count) AS n`,
    `SELECT setval(pg_get_serial_sequence('events', 'sequence'), :count)`,
    `INSERT INTO webhook_deliveries
       (tenant_id, endpoint_id, created_at, sequence, event_id, event_type, due_at)
     SELECT tenant_id, 'waiting', created_at, sequence, id, type, created_at FROM events
     WHERE tenant_id = '${TENANT}'`,
    `INSERT INTO webhook_queues (tenant_id, endpoint_id, next_at) VALUES (:tenant, 'waiting', now())`,
  ]);

export default waitingDeliveries;
