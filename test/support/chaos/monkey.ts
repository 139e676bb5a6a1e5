import { setTimeout as sleep } from 'node:timers/promises';
import type { Cluster, Node } from './cluster.ts';
import type { Random } from './random.ts';

/** One of this many failures affects all processes. */
const SHARED_EVERY = 4;
/** Below the 30 s after which a process that starts is given up. */
const LONGEST_MS = 3_000;
/** Longer than the leases of frozen processes, whose work others then take over. */
const LONGEST_FREEZE_MS = 8_000;
const SLOWEST_MS = 100;

type Failures<Target> = Record<string, (target: Target) => Promise<void>>;

/**
 * Kills, freezes, cuts off and slows down processes, PostgreSQL and Redis in sequence, some of them
 * at the same time. Each failure is over after a while.
 */
export function createMonkey(cluster: Cluster, random: Random) {
  const counts = new Map<string, number>();
  const busy = new Set<Node | 'shared'>();

  const forAWhile = async (begin: () => void, end: () => void, longestMs = LONGEST_MS) => {
    begin();
    await sleep(random.between(100, longestMs));
    end();
  };

  const ofProcess: Failures<Node> = {
    async 'process killed'(node) {
      await node.server.kill();
      await sleep(random.between(0, 1_000));
      await cluster.start(node);
    },
    'process frozen': ({ server }) => forAWhile(server.freeze, server.resume, LONGEST_FREEZE_MS),
    'cut off from clients': ({ clients }) => forAWhile(clients.cut, clients.mend),
    'cut off from PostgreSQL': ({ database }) => forAWhile(database.cut, database.mend),
    'cut off from Redis': ({ redis }) => forAWhile(redis.cut, redis.mend),
    'packets from PostgreSQL lost': ({ database }) => forAWhile(database.stall, database.mend),
    'packets from Redis lost': ({ redis }) => forAWhile(redis.stall, redis.mend),
    'PostgreSQL slow': ({ database }) =>
      forAWhile(() => database.slow(random.between(1, SLOWEST_MS)), database.mend),
    'alone with its clients': ({ database, redis }) =>
      forAWhile(
        () => [database, redis].map((network) => network.stall()),
        () => [database, redis].map((network) => network.mend()),
      ),
  };

  const onEveryProcess = (act: (node: Node) => void) => () => cluster.nodes.forEach(act);
  const ofAll: Failures<Cluster> = {
    'PostgreSQL killed': ({ postgres }) => postgres.kill(),
    'connections ended': ({ database }) => endConnections(database),
    'PostgreSQL frozen': () =>
      forAWhile(
        onEveryProcess(({ database }) => database.stall()),
        onEveryProcess(({ database }) => database.mend()),
      ),
    async 'Redis killed'({ redis }) {
      await redis.kill();
      await sleep(random.between(0, LONGEST_MS));
      await redis.start();
    },
    'Redis frozen': ({ redis }) => forAWhile(redis.freeze, redis.resume),
    'clients cut off': ({ balancer }) => forAWhile(balancer.cut, balancer.mend),
  };

  async function cause<Target>(
    failures: Failures<Target>,
    target: Target,
    holder: Node | 'shared',
  ): Promise<void> {
    const [name, happen] = random.pick(Object.entries(failures));
    counts.set(name, (counts.get(name) ?? 0) + 1);
    busy.add(holder);
    await happen(target);
    busy.delete(holder);
  }

  async function causeFailure(): Promise<void> {
    if (random.below(SHARED_EVERY) === 0) {
      if (!busy.has('shared')) await cause(ofAll, cluster, 'shared');
      return;
    }
    const free = cluster.nodes.filter((node) => !busy.has(node));
    // One process always stays up, so that clients can continue.
    if (free.length < 2) return;
    const node = random.pick(free);
    await cause(ofProcess, node, node);
  }

  return {
    /** Returns when the last failure is over. */
    async run(isOver: () => boolean): Promise<void> {
      const failures: Array<Promise<void>> = [];
      while (!isOver()) {
        await sleep(random.between(100, 1_200));
        failures.push(causeFailure());
      }
      await Promise.all(failures);
    },
    summary: () => [...counts].map(([name, count]) => `${count} × ${name}`).join(', '),
  };
}

/** Ends the connections of all processes, as a failover does. */
async function endConnections(database: Cluster['database']): Promise<void> {
  await database
    .query(
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
       WHERE datname = current_database() AND pid <> pg_backend_pid()`,
    )
    // PostgreSQL may be starting.
    .catch(() => undefined);
}
