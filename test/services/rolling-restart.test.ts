import { Agent, request } from 'node:http';
import { expect, it } from 'vitest';
import { eventually } from '../support/eventually.ts';
import { execute } from '../support/global-setup.ts';
import { createNetwork } from '../support/network.ts';
import { type ServerProcess, serverProcess } from '../support/processes.ts';
import { createDatabase } from '../support/server.ts';
import { whenFileEnds } from '../support/when-file-ends.ts';

const CLIENTS = 12;
const HEALTH_CHECK_MS = 100;
const databaseUrl = await createDatabase();
const environment = { DATABASE_URL: databaseUrl, SHUTDOWN_DELAY_SECONDS: '1' };
const processes = await Promise.all([serverProcess(environment), serverProcess(environment)]);
for (const process of processes) await process.start();
const headers = (await processes[0].keyHeaders()) ?? {};

/** A load balancer that passes connections on in turn, asks `/readyz`, and repeats nothing. */
async function loadBalancer() {
  const ready = new Set(processes);
  const checks = setInterval(() => {
    for (const process of processes) {
      fetch(`${process.url}/readyz`).then(
        ({ ok }) => (ok ? ready.add(process) : ready.delete(process)),
        () => ready.delete(process),
      );
    }
  }, HEALTH_CHECK_MS);
  whenFileEnds(() => clearInterval(checks));
  let turn = 0;
  const { url } = await createNetwork(() => {
    const [...targets] = ready;
    return targets[turn++ % targets.length]?.url ?? 'http://127.0.0.1:1';
  });
  return { url, isReady: (process: ServerProcess) => ready.has(process) };
}

/** A call on a connection that is kept for the next call; never repeated. */
function callKeptAlive(agent: Agent, url: string, data: object): Promise<number> {
  return new Promise((resolve, reject) => {
    const call = request(url, {
      agent,
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/json' },
    });
    call.on('error', reject);
    call.on('response', (response) => {
      response.resume().on('end', () => resolve(response.statusCode ?? 0));
    });
    call.end(JSON.stringify({ data }));
  });
}

it('a rolling restart behind a load balancer that repeats nothing loses no request', async () => {
  const { url, isReady } = await loadBalancer();
  const acknowledged: string[] = [];
  const lost: string[] = [];
  let isOver = false;
  const clients = Array.from({ length: CLIENTS }, async (_, client) => {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    for (let count = 0; !isOver; count++) {
      const organizationId = `org-${client}-${count}`;
      const data = { organizations: [{ organizationId }] };
      const status = await callKeptAlive(agent, `${url}/v2/organizations/add`, data).catch(String);
      if (status === 200) acknowledged.push(organizationId);
      else lost.push(`${organizationId}: ${status}`);
    }
    agent.destroy();
  });
  for (const process of processes) {
    expect(await process.stop()).toBe(0);
    await process.start();
    await eventually(() => expect(isReady(process)).toBe(true));
  }
  isOver = true;
  await Promise.all(clients);
  expect(lost).toEqual([]);
  expect(acknowledged.length).toBeGreaterThan(100);
  const rows = await execute(databaseUrl, 'SELECT organization_id AS id FROM organizations');
  const stored = new Set(rows.map(({ id }) => id));
  expect(acknowledged.filter((id) => !stored.has(id))).toEqual([]);
});

it('a process that stops first reports that it is not ready, and still serves', async () => {
  const [process] = processes;
  const stopped = process.stop();
  await eventually(async () => {
    const answer = await fetch(`${process.url}/readyz`);
    expect(answer.status).toBe(503);
    expect(answer.headers.get('connection')).toBe('close');
    expect(await answer.json()).toMatchObject({ problem: 'The process is stopping.' });
  });
  expect((await fetch(`${process.url}/healthz`)).status).toBe(200);
  expect(await stopped).toBe(0);
});
