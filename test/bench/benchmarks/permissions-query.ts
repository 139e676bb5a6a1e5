import assert from 'node:assert';
import { Pool } from 'pg';
import { loadPermissionFacts } from '../baseline/get-permissions.ts';
import { resolvePermissions } from '../baseline/resolve-permissions.ts';
import { type Finding, type Measurement, median } from '../harness/benchmark.ts';
import { TENANT } from '../harness/credentials.ts';
import { withFilled } from '../harness/databases.ts';
import { HttpConnection } from '../harness/http-connection.ts';
import { cpuMsOf } from '../harness/process-facts.ts';
import { startOurs } from '../harness/servers.ts';
import permissionsGet from './permissions-get.ts';

const PAIRS = 60;
const WARM_UP = 10;
const MOST = 3;

type Query = Parameters<typeof resolvePermissions>[2];

/**
 * Compares a whole call of permissions/get, from the request to the last byte of the answer, with
 * two bare queries without server and JSON: those that only load the facts, which is the stricter
 * target, and one that resolves the same roles in SQL. They run one at a time, alternately.
 */
const permissionsQuery: Measurement = {
  name: 'permissions-query',
  measure: (postgres) =>
    withFilled(postgres, permissionsGet.prepare, async (url) => {
      const server = await startOurs(url);
      const connection = await HttpConnection.open(server.url);
      const pool = new Pool({ connectionString: url, max: 1 });
      try {
        return await compare(connection, server.pid, pool);
      } finally {
        connection.close();
        await pool.end();
        await server.stop();
      }
    }),
};

async function compare(connection: HttpConnection, pid: number, pool: Pool): Promise<Finding[]> {
  const callMs: number[] = [];
  const factsMs: number[] = [];
  const resolvedMs: number[] = [];
  let cpuBefore = 0;
  for (let n = 0; n < WARM_UP + PAIRS; n++) {
    if (n === WARM_UP) cpuBefore = await cpuMsOf(pid);
    const call = permissionsGet.request(n);
    callMs.push(
      await timed(async () => {
        const { status, body } = await connection.post(call);
        assert.strictEqual(status, 200, body);
      }),
    );
    factsMs.push(await timed(() => loadPermissionFacts(pool, TENANT, call.data as Query)));
    resolvedMs.push(await timed(() => resolvePermissions(pool, TENANT, call.data as Query)));
  }
  const cpuMs = ((await cpuMsOf(pid)) - cpuBefore) / PAIRS;
  const call = median(callMs.slice(WARM_UP));
  const ratio = (what: string, bareMs: number[]): Finding => {
    const bare = median(bareMs.slice(WARM_UP));
    const value = `${(call / bare).toFixed(2)} (${bare.toFixed(1)} ms)`;
    return { label: what, value, target: `< ${MOST}`, met: call / bare < MOST };
  };
  return [
    {
      label: 'the call',
      value: `${call.toFixed(1)} ms, CPU ${cpuMs.toFixed(1)} ms of our server`,
    },
    ratio('to loading the facts', factsMs),
    ratio('to resolving them in SQL', resolvedMs),
  ];
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const startedAt = performance.now();
  await work();
  return performance.now() - startedAt;
}

export default permissionsQuery;
