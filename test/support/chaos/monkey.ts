import { setTimeout as sleep } from 'node:timers/promises';
import type { Node, World } from './cluster.ts';
import type { Random } from './random.ts';

/** Kills processes and cuts lines, one trouble after the other, some of them at once. */
export function monkey(world: World, random: Random) {
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

  async function trouble(): Promise<void> {
    const free = world.nodes.filter((node) => !busy.has(node));
    // One is left alone, so that there is always somebody to go on with.
    if (free.length < 2) return;
    const node = random.pick(free);
    busy.add(node);
    await random.pick([kill, kill, cutDatabase, cutRedis])(node);
    busy.delete(node);
  }

  return {
    async run(isOver: () => boolean): Promise<void> {
      const troubles: Array<Promise<void>> = [];
      while (!isOver()) {
        await sleep(random.between(100, 1_200));
        troubles.push(trouble());
      }
      await Promise.all(troubles);
    },
    summary: () =>
      `${counts.killed} kills, ${counts.databaseCut} cuts of the database, ${counts.redisCut} of Redis`,
  };
}
