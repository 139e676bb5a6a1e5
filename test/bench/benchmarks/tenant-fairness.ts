import { fork } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from 'pg';
import { type Call, type Finding, type Measurement, percentile } from '../harness/benchmark.ts';
import { seedKey, TENANT } from '../harness/credentials.ts';
import { withFilled } from '../harness/databases.ts';
import { prepareEditors } from '../harness/editors.ts';
import { FLOODS } from '../harness/floods.ts';
import { HttpConnection } from '../harness/http-connection.ts';
import { ReceiverProcess } from '../harness/receiver.ts';
import { startOurs } from '../harness/servers.ts';

const SECONDS = Number(process.env.BENCH_SECONDS ?? 8);
/** After this time, a flood has reached its limit. */
const SETTLE_MS = 2_000;
const PAUSE_MS = 10;
const TARGET = 3;
/** The floods to run, separated by commas; all if unset. */
const WANTED = process.env.BENCH_FLOODS?.split(',').map((name) => name.trim());

const OTHER = { 'x-svc-api-key': 'other-key', 'x-svc-auth-token': 'other-auth-token' };

/** As in production. The harness turns the limits off to measure the maximum throughput. */
const LIMITS = {
  ITEMS_PER_SECOND: '',
  BYTES_PER_SECOND: '',
  DATABASE_MS_PER_SECOND: '',
  OUTBOUND_ALLOWED_NETWORKS: '127.0.0.0/8',
};

/** Measures one tenant's reads and writes, alone and while another floods the same process. */
const tenantFairness: Measurement = {
  name: 'tenant-fairness',
  async measure(postgres) {
    const unknown = WANTED?.filter((name) => !Object.hasOwn(FLOODS, name)) ?? [];
    if (unknown.length > 0) throw new Error(`There is no flood ${unknown.join(', ')}.`);
    const findings: Finding[] = [];
    for (const name of WANTED ?? Object.keys(FLOODS)) {
      findings.push(await withFilled(postgres, prepare, (url) => measureOne(url, name)));
    }
    return findings;
  },
};

async function prepare(database: Client): Promise<void> {
  await prepareEditors(database, { documents: 50, text: 'A plan.' });
  await database.query('INSERT INTO service_settings (tenant_id) VALUES ($1)', [TENANT]);
  await seedKey(database, OTHER);
}

async function measureOne(databaseUrl: string, name: string): Promise<Finding> {
  const server = await startOurs(databaseUrl, LIMITS);
  const receiver = await ReceiverProcess.start();
  try {
    if (name === 'deliveries') await deliverTo(server.url, receiver.url);
    await latencies(server.url, 1);
    const quiet = await latencies(server.url, SECONDS);
    const flooded = await whileFlooded(name, server.url);
    const ratio = percentile(flooded, 0.99) / percentile(quiet, 0.99);
    const ms = (values: number[]) => `${percentile(values, 0.99).toFixed(1)} ms`;
    return {
      label: name,
      value: `p99 quiet ${ms(quiet)}, flooded ${ms(flooded)}, ratio ${ratio.toFixed(2)}`,
      target: `< ${TARGET}`,
      met: ratio < TARGET,
    };
  } finally {
    receiver.stop();
    await server.stop();
  }
}

async function deliverTo(url: string, receiverUrl: string): Promise<void> {
  const connection = await HttpConnection.open(url);
  const calls: Call[] = [
    { path: '/v2/workspace/advancedwebhookconfig/update', data: { isEnabled: true } },
    { path: '/v2/workspace/advancedwebhook/endpoints/create', data: { url: receiverUrl } },
  ];
  for (const call of calls) {
    const { status, body } = await connection.post(call);
    if (status !== 200) throw new Error(`${call.path} answered ${status}: ${body}`);
  }
  connection.close();
}

async function whileFlooded(name: string, url: string): Promise<number[]> {
  const script = path.join(import.meta.dirname, '../harness/flood-process.ts');
  const flood = fork(script, [name, url]);
  try {
    await sleep(SETTLE_MS);
    const measured = await latencies(url, SECONDS);
    if (flood.exitCode !== null) throw new Error(`The flood of ${name} ended by itself.`);
    return measured;
  } finally {
    flood.kill('SIGKILL');
    await once(flood, 'exit');
  }
}

/** A read and a write alternately over one connection, at most a hundred a second. */
async function latencies(url: string, seconds: number): Promise<number[]> {
  const connection = await HttpConnection.open(url, OTHER);
  const endAt = performance.now() + seconds * 1000;
  const found: number[] = [];
  for (let n = 0; performance.now() < endAt; n++) {
    const startedAt = performance.now();
    const { status, body } = await connection.post(n % 2 === 0 ? write(n) : read);
    if (status !== 200) throw new Error(`The other tenant was answered ${status}: ${body}`);
    found.push(performance.now() - startedAt);
    await sleep(PAUSE_MS);
  }
  connection.close();
  return found;
}

const write = (n: number): Call => ({
  path: '/v1/users/add',
  data: { organizationId: 'other', users: [{ userId: `user-${n % 100}` }] },
});
const read: Call = { path: '/v2/users/get', data: { organizationId: 'other', pageSize: 10 } };

export default tenantFairness;
