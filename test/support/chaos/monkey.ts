import { setTimeout as sleep } from 'node:timers/promises';
import type { Cluster, Node } from './cluster.ts';
import type { Random } from './random.ts';

/** Kills processes and cuts networks in sequence, some of them at the same time. */
export function createMonkey(cluster: Cluster, random: Random) {
  const counts = { killed: 0, databaseCut: 0, redisCut: 0 };
  const busy = new Set<Node>();

  async function kill({ server }: Node): Promise<void> {
    counts.killed++;
    await server.kill();
    await sleep(random.between(0, 1_000));
    await server.start();
  }

  async function cutDatabase({ database }: Node): Promise<void> {
    counts.databaseCut++;
    database.cut();
    await sleep(random.between(100, 3_000));
    database.mend();
  }

  async function cutRedis({ redis }: Node): Promise<void> {
    counts.redisCut++;
    redis.cut();
    await sleep(random.between(100, 3_000));
    redis.mend();
  }

  async function causeFailure(): Promise<void> {
    const free = cluster.nodes.filter((node) => !busy.has(node));
    // One process always stays up, so that clients can continue.
    if (free.length < 2) return;
    const node = random.pick(free);
    busy.add(node);
    await random.pick([kill, kill, cutDatabase, cutRedis])(node);
    busy.delete(node);
  }

  return {
    async run(isOver: () => boolean): Promise<void> {
      const failures: Array<Promise<void>> = [];
      while (!isOver()) {
        await sleep(random.between(100, 1_200));
        failures.push(causeFailure());
      }
      await Promise.all(failures);
    },
    summary: () =>
      `${counts.killed} kills, ${counts.databaseCut} cuts of the database, ${counts.redisCut} of Redis`,
  };
}
