import type { Client } from 'pg';
import { type Point, timeByTurns } from '../growth/by-turns.ts';
import { type Call, type Growth, median, type Sample } from '../harness/benchmark.ts';
import { type Postgres, withFilled } from '../harness/databases.ts';
import { fillBy, ORGANIZATION } from '../harness/fill.ts';
import { HttpConnection } from '../harness/http-connection.ts';
import { cpuMsOf } from '../harness/process-facts.ts';
import { type Server, startOurs } from '../harness/servers.ts';

const SIZES = [1, 2, 4];
const USERS = 1_000;
const CALLERS = 16;
const ROUNDS = 5;
const ROUND_MS = Number(process.env.BENCH_SECONDS ?? 2) * 1000;

const calls: Record<string, (n: number) => Call> = {
  read: () => ({ path: '/v2/users/get', data: { organizationId: 'acme', pageSize: 50 } }),
  write: (n) => ({
    path: '/v1/users/add',
    data: { organizationId: 'acme', users: [{ userId: `user-${n % USERS}`, name: `Ada ${n}` }] },
  }),
};

/** 1 to 4 processes on one database share the calls. All run on this machine. */
const processes: Growth = {
  name: 'growth-processes',
  sizeOf: 'processes on one machine',
  reasons: {
    read: 'The processes share the cores of one machine, and each has background work of its own.',
    write: 'The processes share the cores of one machine, and each has background work of its own.',
  },
  async sample(postgres) {
    const samples: Sample[] = [];
    for (const size of SIZES) samples.push(...(await withProcesses(postgres, size)));
    return samples;
  },
};

const prepare = (database: Client) =>
  fillBy(database, USERS, [
    ORGANIZATION,
    `INSERT INTO users (tenant_id, user_id, name)
     SELECT :tenant, 'user-' || n, 'Ada' FROM generate_series(0, :count - 1) AS n`,
    `INSERT INTO grants
       (tenant_id, organization_id, resource_type, resource_id, user_id, access_role)
     SELECT :tenant, 'acme', 'organization', 'acme', 'user-' || n, 'editor'
     FROM generate_series(0, :count - 1) AS n`,
  ]);

const withProcesses = (postgres: Postgres, size: number): Promise<Sample[]> =>
  withFilled(postgres, prepare, async (url) => {
    const servers: Server[] = [];
    try {
      while (servers.length < size) servers.push(await startOurs(url));
      const samples = await timeByTurns(await pointsOf(servers));
      for (const line of Object.keys(calls)) samples.push(...(await loadAll(servers, line)));
      return samples;
    } finally {
      await Promise.all(servers.map((server) => server.stop()));
    }
  });

/** One caller, who calls another process each time. */
async function pointsOf(servers: Server[]): Promise<Point[]> {
  const connections = await Promise.all(servers.map(({ url }) => HttpConnection.open(url)));
  return Object.entries(calls).map(([line, callOf]) => ({
    table: 'One caller of all processes in turn',
    line,
    size: servers.length,
    run: (n) => post(connections[n % connections.length], callOf(n)),
  }));
}

async function post(connection: HttpConnection | undefined, call: Call): Promise<void> {
  const answer = await connection?.post(call);
  if (answer?.status !== 200) throw new Error(answer?.body);
}

/** Calls without a pause, over connections that are spread over the processes. */
async function loadAll(servers: Server[], line: string): Promise<Sample[]> {
  const connections = await Promise.all(
    Array.from({ length: CALLERS }, (_, n) =>
      HttpConnection.open(servers[n % servers.length]?.url ?? ''),
    ),
  );
  const rounds: Array<{ perSecond: number; cpuMs: number }> = [];
  // The first round is a warm-up and is not counted.
  for (let round = 0; round <= ROUNDS; round++) {
    const cpuBefore = await cpuMsOfAll(servers);
    const requests = await callAll(connections, line);
    const cpuMs = ((await cpuMsOfAll(servers)) - cpuBefore) / requests;
    rounds.push({ perSecond: (requests * 1000) / ROUND_MS, cpuMs });
  }
  for (const connection of connections) connection.close();
  const counted = rounds.slice(1);
  const size = servers.length;
  const perSecond = median(counted.map((round) => round.perSecond));
  const cpuMs = median(counted.map((round) => round.cpuMs));
  return [
    { table: 'Requests a second', line, size, unit: 'requests/s', median: perSecond },
    { table: 'Processor time of a request', line, size, unit: 'ms', median: cpuMs },
  ];
}

async function callAll(connections: HttpConnection[], line: string): Promise<number> {
  const callOf = calls[line];
  const endAt = performance.now() + ROUND_MS;
  let next = 0;
  const useUp = async (connection: HttpConnection) => {
    while (callOf && performance.now() < endAt) await post(connection, callOf(next++));
  };
  await Promise.all(connections.map(useUp));
  return next;
}

async function cpuMsOfAll(servers: Server[]): Promise<number> {
  const all = await Promise.all(servers.map(({ pid }) => cpuMsOf(pid)));
  return all.reduce((sum, cpuMs) => sum + cpuMs, 0);
}

export default processes;
