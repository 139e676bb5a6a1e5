import { createServer } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from 'pg';
import { listen } from '../../support/listen.ts';
import type { Call, Finding, Measurement } from '../harness/benchmark.ts';
import { filledDatabase } from '../harness/databases.ts';
import { openEditor, organizationToken, prepareEditors, prose } from '../harness/editors.ts';
import { HttpConnection } from '../harness/http-connection.ts';
import { residentBytesOf } from '../harness/process-facts.ts';
import { type ReportingServer, startReporting } from '../harness/reporting-server.ts';
import { seedEndpoint } from '../harness/webhooks.ts';

const MINUTES = Number(process.env.SOAK_MINUTES ?? 10);
/** Until then, caches, pools and compiled code fill: the process grows without a leak. */
const WARM_UP_MINUTES = 2;
const MINUTE_MS = 60_000;
/** In twelve minutes: 12,000 documents opened, 120,000 requests, and 60,000 deliveries. */
const OPENINGS_A_MINUTE = 1_000;
const REQUESTS_A_MINUTE = 10_000;
const DOCUMENTS = 10_000;
const USERS = 1_000;
const CONNECTIONS = 8;
const OPENERS = 20;
const MAX_CHANGE = 0.1;
const DEADLINE_MS = 30_000;
const MEGABYTE = 1024 * 1024;

/** The used memory and the resident memory, in megabytes. */
interface Memory {
  heap: number;
  resident: number;
}

interface Load {
  url: string;
  endAt: number;
  requests: number;
  openings: number;
}

/**
 * Minutes of mixed load (SOAK_MINUTES) on one process: the memory at the end, with garbage
 * collected, compared with the memory after the warm-up before them.
 */
export const soak: Measurement = {
  name: 'soak',
  async measure(postgres) {
    let deliveries = 0;
    const receiver = createServer((request, response) => {
      deliveries += 1;
      request.resume();
      response.end();
    });
    const url = `${await listen(receiver)}/`;
    const databaseUrl = await filledDatabase(postgres, (database) => prepare(database, url));
    const networks = { OUTBOUND_ALLOWED_NETWORKS: '127.0.0.0/8' };
    return loadFor(await startReporting(databaseUrl, networks), () => deliveries);
  },
};

/** Every user that a call changes is delivered, which is every second call. */
async function prepare(database: Client, receiverUrl: string): Promise<void> {
  await prepareEditors(database, { documents: DOCUMENTS, text: prose(2_000) });
  await seedEndpoint(database, receiverUrl, 'user.update');
  await database.query(
    `INSERT INTO users (tenant_id, user_id, name)
     SELECT id, 'user-' || n, 'Ada' FROM api_keys, generate_series(0, ${USERS - 1}) AS n`,
  );
}

async function loadFor(server: ReportingServer, deliveries: () => number): Promise<Finding[]> {
  const endAt = performance.now() + (WARM_UP_MINUTES + MINUTES) * MINUTE_MS;
  const load: Load = { url: server.url, endAt, requests: 0, openings: 0 };
  const token = await organizationToken(server.url);
  const [minutes] = await Promise.all([
    watchMemory(server),
    ...Array.from({ length: CONNECTIONS }, (_, n) => callSteadily(load, n)),
    ...Array.from({ length: OPENERS }, (_, n) => openSteadily(load, token, n)),
  ]);
  const { requests, openings } = load;
  return [
    ...minutes.map((memory, n) => ({
      label: n === 0 ? `after ${WARM_UP_MINUTES} min of warm-up` : `after ${n} min more`,
      value: `heap ${memory.heap.toFixed(1)} MB, resident ${memory.resident.toFixed(1)} MB`,
    })),
    {
      label: 'load',
      value: `${openings} documents opened and closed, ${requests} requests, ${deliveries()} deliveries`,
    },
    change('heap', minutes, ({ heap }) => heap),
    change('resident memory', minutes, ({ resident }) => resident),
  ];
}

async function watchMemory(server: ReportingServer): Promise<Memory[]> {
  const startedAt = performance.now();
  const minutes: Memory[] = [];
  for (let minute = 0; minute <= MINUTES; minute++) {
    const dueAt = startedAt + (WARM_UP_MINUTES + minute) * MINUTE_MS;
    await sleep(Math.max(0, dueAt - performance.now()));
    const heap = (await server.usedBytes()) / MEGABYTE;
    const resident = ((await residentBytesOf(server.pid)) ?? Number.NaN) / MEGABYTE;
    minutes.push({ heap, resident });
  }
  return minutes;
}

function change(label: string, minutes: Memory[], of: (memory: Memory) => number): Finding {
  const [first, last] = [minutes[0], minutes.at(-1)];
  const share = first && last ? of(last) / of(first) - 1 : Number.NaN;
  return {
    label: `${label}, last to first`,
    value: `${share < 0 ? '' : '+'}${(100 * share).toFixed(1)} %`,
    target: `<= +${100 * MAX_CHANGE} %`,
    met: share <= MAX_CHANGE,
  };
}

/** This connection's share of the requests, evenly spread over time. */
async function callSteadily(load: Load, of: number): Promise<void> {
  const connection = await HttpConnection.open(load.url);
  await steadily(load, REQUESTS_A_MINUTE / CONNECTIONS, async (n) => {
    await connection.succeed(nthCall(n * CONNECTIONS + of));
    load.requests += 1;
  });
  connection.close();
}

/** Half of the calls change a user. */
function nthCall(n: number): Call {
  const place = { organizationId: 'acme', documentId: `document-${n % DOCUMENTS}` };
  const userId = `user-${n % USERS}`;
  const from = { userId };
  const others: Call[] = [
    {
      path: '/v2/commentannotations/add',
      data: {
        ...place,
        commentAnnotations: [{ commentData: [{ commentText: `No. ${n}`, from }] }],
      },
    },
    { path: '/v2/commentannotations/get', data: { ...place, pageSize: 20 } },
    { path: '/v2/organizations/documents/get', data: { organizationId: 'acme', pageSize: 30 } },
    { path: '/v2/users/get', data: { organizationId: 'acme', pageSize: 30 } },
    { path: '/v2/presence/update', data: { ...place, users: [{ userId }] } },
    { path: '/v2/memory/search', data: { query: `the launch plan ${n % 100}` } },
  ];
  const user = { userId, name: `Ada ${n}` };
  const write = { path: '/v1/users/add', data: { organizationId: 'acme', users: [user] } };
  return n % 2 === 0 ? write : (others[Math.floor(n / 2) % others.length] ?? write);
}

/** This opener's share of the openings. Opens a document, types in it, and closes it. */
const openSteadily = (load: Load, token: string, of: number): Promise<void> =>
  steadily(load, OPENINGS_A_MINUTE / OPENERS, async (n) => {
    const documentId = `document-${(n * OPENERS + of) % DOCUMENTS}`;
    const editor = await openEditor(load.url, documentId, token);
    editor.text.insert(editor.text.length, 'x');
    await editor.confirmed(DEADLINE_MS);
    editor.close();
    load.openings += 1;
  });

async function steadily(
  { endAt }: Load,
  perMinute: number,
  work: (n: number) => Promise<void>,
): Promise<void> {
  const startedAt = performance.now();
  for (let n = 0; performance.now() < endAt; n++) {
    const dueAt = startedAt + (n * MINUTE_MS) / perMinute;
    if (dueAt > performance.now()) await sleep(dueAt - performance.now());
    await work(n);
  }
}
