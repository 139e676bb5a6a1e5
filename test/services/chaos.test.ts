import { beforeAll, expect, inject, it } from 'vitest';
import { type Cluster, startCluster } from '../support/chaos/cluster.ts';
import { createMonkey } from '../support/chaos/monkey.ts';
import { seededRandom } from '../support/chaos/random.ts';
import { restWriter, typist, visitors } from '../support/chaos/writers.ts';
import { eventually } from '../support/eventually.ts';
import { createDatabase } from '../support/server.ts';

/** The duration and the seed of a run. The same seed makes the same decisions. */
const SECONDS = Number(process.env.CHAOS_SECONDS ?? 10);
const SEED = Number(process.env.CHAOS_SEED ?? Date.now() % 1_000_000);

const DOCUMENTS = ['one', 'two', 'three'];
const TYPISTS = 2;
/** The longest time of a call during an outage of its process or of the database. */
const LONGEST_CALL_MS = 20_000;

// Every participant has its own random numbers, which do not depend on the speed of others.
let seed = SEED;
const random = () => seededRandom(seed++);

let cluster: Cluster;
beforeAll(async () => {
  cluster = await startCluster(await createDatabase(), inject('redisUrl') ?? '', random());
}, 120_000);

it(
  'loses no acknowledged write, whatever is killed or cut off',
  async () => {
    console.log(`chaos: ${SECONDS} s, CHAOS_SEED=${SEED}`);
    const monkey = createMonkey(cluster, random());
    const typists = await Promise.all(
      DOCUMENTS.flatMap((document) =>
        Array.from({ length: TYPISTS }, () => typist(cluster, document, random())),
      ),
    );
    const callers = [restWriter(cluster, random()), restWriter(cluster, random())];
    const guests = DOCUMENTS.map((document) => visitors(cluster, document, random()));

    const end = Date.now() + SECONDS * 1_000;
    const isOver = () => Date.now() > end;
    const writers = [...typists, ...callers, ...guests];
    await Promise.all([monkey.run(isOver), ...writers.map((writer) => writer.run(isOver))]);

    await cluster.repair();
    await Promise.all(writers.map((writer) => writer.settle()));
    const claims = writers.flatMap((writer) => writer.claims());
    console.log(`chaos: ${monkey.summary()}; ${claims.length} acknowledged edits`);
    for (const { documentId, editorId } of cluster.editors(claims)) {
      const open = typists.filter((one) => one.editorId === editorId);
      const expected = await eventually(async () => {
        const stored = await cluster.storedText(editorId);
        const served = await cluster.servedTexts(documentId, editorId);
        const shown = open.map((one) => one.text());
        for (const text of [...served, ...shown]) expect(differences(text, stored)).toEqual([]);
        return stored;
      }, 30_000);
      const tokens = expected.match(/\[[^\]]*\]/g) ?? [];
      expect(tokens.join('')).toBe(expected);
      const found = new Set(tokens);
      expect(tokens).toHaveLength(found.size);
      const own = claims.filter((claim) => claim.editorId === editorId);
      const lost = own.filter(({ token, isThere }) => found.has(token) !== isThere);
      expect(lost).toEqual([]);
    }
    expect(Math.max(...callers.map((caller) => caller.longestMs()))).toBeLessThan(LONGEST_CALL_MS);
    expect(cluster.complaints()).toEqual([]);
  },
  SECONDS * 1_000 + 180_000,
);

/** The tokens that only one text contains, or a difference in their order. */
function differences(text: string, stored: string): string[] {
  const [one, two] = [text, stored].map((content) => content.split(/(?<=\])/));
  const others = new Set(two);
  const known = new Set(one);
  const found = [
    ...(one ?? []).filter((token) => !others.has(token)).map((token) => `not stored: ${token}`),
    ...(two ?? []).filter((token) => !known.has(token)).map((token) => `not shown: ${token}`),
  ];
  return found.length > 0 || text === stored ? found : ['another order'];
}
