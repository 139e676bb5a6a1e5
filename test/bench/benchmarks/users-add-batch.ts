import assert from 'node:assert';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'pg';
import { upsertUsers } from '../baseline/add-users.ts';
import { type Finding, type Measurement, median } from '../harness/benchmark.ts';
import { TENANT } from '../harness/credentials.ts';
import { withTwins } from '../harness/databases.ts';
import { HttpConnection } from '../harness/http-connection.ts';
import { startOurs } from '../harness/servers.ts';

const BATCH = 1_000;
/**
 * Consecutive calls, so that the sequencer processes the previous events during all but the first.
 */
const IN_A_ROW = 8;
const ROUNDS = 9;
const MIN_PER_SECOND = 20_000;
const MIN_RATIO = 0.4;

/**
 * A thousand users in one call over HTTP with their events, compared with a bare statement that
 * only writes the same users and grants. Every batch is sent twice, with new users and with
 * existing ones.
 */
const usersAddBatch: Measurement = {
  name: 'users-add-batch',
  measure: (postgres) =>
    withTwins(postgres, prepare, async (oursUrl, bareUrl) => {
      const server = await startOurs(oursUrl);
      const connection = await HttpConnection.open(server.url);
      const [ours, bare] = [oursUrl, bareUrl].map((url) => new Client({ connectionString: url }));
      assert(ours && bare);
      await Promise.all([ours.connect(), bare.connect()]);
      try {
        return await alternate(connection, ours, bare);
      } finally {
        connection.close();
        await Promise.all([ours.end(), bare.end()]);
        await server.stop();
      }
    }),
};

async function prepare(database: Client): Promise<void> {
  await database.query(
    `INSERT INTO organizations (tenant_id, organization_id) VALUES ($1, 'acme')`,
    [TENANT],
  );
}

/** Users a second. */
interface Round {
  ours: number;
  bare: number;
}

/** The first round is a warm-up and is not counted. */
async function alternate(connection: HttpConnection, ours: Client, bare: Client) {
  const added: Round[] = [];
  const updated: Round[] = [];
  for (let round = 0; round <= ROUNDS; round++) {
    const batches = Array.from({ length: IN_A_ROW }, (_, n) => batchOf(round * IN_A_ROW + n));
    for (const rounds of [added, updated]) {
      const oursPerSecond = await usersPerSecond(batches, (users) => addUsers(connection, users));
      await untilSequenced(ours);
      const barePerSecond = await usersPerSecond(batches, (users) =>
        upsertUsers(bare, TENANT, 'acme', users),
      );
      rounds.push({ ours: oursPerSecond, bare: barePerSecond });
    }
  }
  return [
    ...findings('new users', added.slice(1)),
    ...findings('users who are there', updated.slice(1)),
  ];
}

const batchOf = (n: number) =>
  Array.from({ length: BATCH }, (_, i) => {
    const userId = `user-${n}-${i}`;
    return { userId, name: `User ${i}`, email: `${userId}@example.com` };
  });

async function addUsers(connection: HttpConnection, users: object[]): Promise<void> {
  const { status, body } = await connection.post({
    path: '/v1/users/add',
    data: { organizationId: 'acme', users },
  });
  assert.strictEqual(status, 200, body);
}

async function usersPerSecond<Batch>(
  batches: Batch[],
  write: (batch: Batch) => Promise<unknown>,
): Promise<number> {
  const startedAt = performance.now();
  for (const batch of batches) await write(batch);
  return (batches.length * BATCH * 1000) / (performance.now() - startedAt);
}

/** Work of our server after its answers must not slow down the bare statement. */
async function untilSequenced(database: Client): Promise<void> {
  while ((await database.query('SELECT 1 FROM event_outbox LIMIT 1')).rowCount) await sleep(5);
}

function findings(what: string, rounds: Round[]): Finding[] {
  const ours = rounds.map((round) => round.ours);
  const ratios = rounds.map((round) => round.ours / round.bare);
  const met = median(ratios) >= MIN_RATIO || median(ours) >= MIN_PER_SECOND;
  return [
    { label: `${what}, ours`, value: `${spread(ours, 0)} users/s` },
    {
      label: `${what}, bare`,
      value: `${spread(
        rounds.map(({ bare }) => bare),
        0,
      )} users/s`,
    },
    {
      label: `${what}, ratio`,
      value: spread(ratios, 2),
      target: `>= ${MIN_RATIO}, or ${MIN_PER_SECOND} users/s`,
      met,
    },
  ];
}

const spread = (values: number[], digits: number) =>
  `${median(values).toFixed(digits)} (${Math.min(...values).toFixed(digits)} to ${Math.max(...values).toFixed(digits)})`;

export default usersAddBatch;
