import { Client } from 'pg';
import type { Finding, Measurement } from '../harness/benchmark.ts';
import { median } from '../harness/benchmark.ts';
import { withTwins } from '../harness/databases.ts';
import {
  EDITOR,
  openTo,
  prepareEditors,
  updateCall,
  withOtherWord,
  writtenText,
} from '../harness/editors.ts';
import { HttpConnection } from '../harness/http-connection.ts';
import { cpuMsOf } from '../harness/process-facts.ts';
import { type ReportingServer, startReporting } from '../harness/reporting-server.ts';
import { startBaseline, startOurs } from '../harness/servers.ts';

const TURNS = 5;
const UPDATES = Number(process.env.BENCH_UPDATES ?? 10_000);
const LETTERS = 10_000;
/** The last turn may take this many times as long as the first. */
const MAX_GROWTH = 1.3;
const DEADLINE_MS = 120_000;
const TEXT = writtenText();

/** Where the next update goes: a document, on one server or on several in rotation. */
interface Target {
  label: string;
  documentId: string;
  servers: ReportingServer[];
}

/** What one turn cost: in the median for one update, and what was stored and used at its end. */
interface Turn {
  ms: number;
  cpuMs: number;
  storedBytes: number;
  usedBytes: number;
}

/**
 * Changes one word in 29 KB ten thousand times, in five turns, here and in a Hocuspocus that stores
 * nothing; then in a text that an editor typed letter by letter, and in one that three processes
 * change. What an update costs must not grow with the number of updates.
 */
const crdtUpdateHistory: Measurement = {
  name: 'crdt-update-history',
  measure: (postgres) =>
    withTwins(
      postgres,
      (database) => prepareEditors(database, { documents: 3, text: TEXT }),
      async (oursUrl, baselineUrl) => {
        const servers: ReportingServer[] = [];
        const start = async (url: string, how: typeof startOurs) => {
          const server = await startReporting(url, {}, how);
          servers.push(server);
          return server;
        };
        try {
          const ours = await start(oursUrl, startOurs);
          const baseline = await start(baselineUrl, startBaseline);
          const alone = { label: 'one place', documentId: 'document-0', servers: [ours] };
          const vanilla = { ...alone, label: 'baseline', servers: [baseline] };
          const findings = await measure([alone, vanilla], oursUrl);
          await typeLetters(ours.url, 'document-1');
          const typed = { label: 'typed text', documentId: 'document-1', servers: [ours] };
          findings.push(...(await measure([typed], oursUrl)));
          const three = [ours, await start(oursUrl, startOurs), await start(oursUrl, startOurs)];
          const shared = { label: 'three processes', documentId: 'document-2', servers: three };
          return [...findings, ...(await measure([shared], oursUrl))];
        } finally {
          await Promise.all(servers.map((server) => server.stop()));
        }
      },
    ),
};

async function typeLetters(url: string, documentId: string): Promise<void> {
  const editor = await openTo(url, documentId);
  for (let at = 0; at < LETTERS; at++) {
    editor.typeAnywhere('abcdefghij'.charAt(at % 10));
    if (at % 200 === 199) await editor.confirmed(DEADLINE_MS);
  }
  editor.close();
}

/** Measures targets by turns. */
async function measure(targets: Target[], databaseUrl: string): Promise<Finding[]> {
  const turns = new Map<Target, Turn[]>(targets.map((target) => [target, []]));
  for (let turn = 0; turn < TURNS; turn++) {
    for (const [target, done] of turns) done.push(await run(target, turn, databaseUrl));
  }
  return [...turns].flatMap(([{ label }, done]) => findingsOf(label, done));
}

async function run(target: Target, turn: number, databaseUrl: string): Promise<Turn> {
  const { servers, documentId } = target;
  const connections = await Promise.all(servers.map(({ url }) => HttpConnection.open(url)));
  const cpuOf = async () => (await Promise.all(servers.map(({ pid }) => cpuMsOf(pid)))).reduce(sum);
  const times: number[] = [];
  const before = await cpuOf();
  const count = UPDATES / TURNS;
  for (let n = turn * count; n < (turn + 1) * count; n++) {
    const call = updateCall(documentId, 'text', withOtherWord(TEXT, n));
    const startedAt = performance.now();
    const answer = await connections[n % connections.length]?.post(call);
    if (answer?.status !== 200) throw new Error(answer?.body);
    times.push(performance.now() - startedAt);
  }
  const cpuMs = ((await cpuOf()) - before) / count;
  for (const connection of connections) connection.close();
  const used = await Promise.all(servers.map((server) => server.usedBytes()));
  const storedBytes = await storedBytesOf(databaseUrl, documentId);
  return { ms: median(times), cpuMs, storedBytes, usedBytes: used.reduce(sum) };
}

const sum = (one: number, other: number) => one + other;

async function storedBytesOf(databaseUrl: string, documentId: string): Promise<number> {
  const database = new Client({ connectionString: databaseUrl });
  await database.connect();
  const { rows } = await database.query(
    `SELECT octet_length(snapshot) + coalesce((
       SELECT sum(octet_length(updates)) FROM crdt_updates u
       WHERE u.tenant_id = c.tenant_id AND u.log_id = c.log_id), 0) AS bytes
     FROM crdt_documents c WHERE document_id = $1 AND editor_id = $2`,
    [documentId, EDITOR],
  );
  await database.end();
  return Number(rows[0].bytes);
}

function findingsOf(label: string, turns: readonly Turn[]): Finding[] {
  const list = (of: (turn: Turn) => string) => turns.map(of).join(', ');
  const [first, last] = [turns[0]?.cpuMs ?? 0, turns.at(-1)?.cpuMs ?? 0];
  return [
    { label: `${label}: p50 ms`, value: list(({ ms }) => ms.toFixed(2)) },
    {
      label: `${label}: CPU ms`,
      value: list(({ cpuMs }) => cpuMs.toFixed(2)),
      target: `last <= ${MAX_GROWTH} x first`,
      met: last <= MAX_GROWTH * first,
    },
    {
      label: `${label}: used MB`,
      value: list(({ usedBytes }) => (usedBytes / 2 ** 20).toFixed(1)),
    },
    {
      label: `${label}: stored KB`,
      value: list(({ storedBytes }) => (storedBytes / 1024).toFixed(0)),
    },
  ];
}

export default crdtUpdateHistory;
