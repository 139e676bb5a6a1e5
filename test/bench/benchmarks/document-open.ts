import { Client } from 'pg';
import * as Y from 'yjs';
import { storedEditor } from '../../support/stored-editor.ts';
import { type Finding, type Measurement, median } from '../harness/benchmark.ts';
import { type Postgres, withFilled } from '../harness/databases.ts';
import { HttpConnection } from '../harness/http-connection.ts';
import { RawEditor } from '../harness/raw-editor.ts';
import { type Server, startOurs } from '../harness/servers.ts';

const UPDATES = Number(process.env.BENCH_UPDATES ?? 100_000);
const EDITORS = 10;
const AT_ONCE = 200;
const REPEATS = 15;
const DEADLINE_MS = 60_000;

/**
 * Opens a document with a long history, compared with one whose row has the same content as a
 * snapshot.
 */
const documentOpen: Measurement = {
  name: 'document-open',
  measure: (postgres: Postgres) =>
    withFilled(
      postgres,
      async () => undefined,
      async (url) => {
        const database = new Client({ connectionString: url });
        await database.connect();
        const server = await startOurs(url);
        try {
          const token = await prepare(server);
          await typeAll(server, token);
          await untilUnloaded(server.url);
          const logLength = await copyAsSnapshot(database);
          return findings(logLength, await measureBoth(server, token));
        } finally {
          await server.stop();
          await database.end();
        }
      },
    ),
};

async function prepare({ url }: Server): Promise<string> {
  const connection = await HttpConnection.open(url);
  const post = async (path: string, data: object) => {
    const { status, body } = await connection.post({ path, data });
    if (status !== 200) throw new Error(body);
    return JSON.parse(body).result.data;
  };
  const organization = { organizationId: 'acme', createOrganization: true };
  const documents = [{ documentId: 'plan' }];
  await post('/v2/organizations/documents/add', { ...organization, documents });
  const resources = [{ type: 'document', id: 'plan', organizationId: 'acme' }];
  const { token } = await post('/v2/auth/generate_token', {
    userId: 'ada',
    permissions: { resources },
  });
  connection.close();
  return token;
}

/** Each letter is its own update, spread over the text, at a rate that the server accepts. */
async function typeAll({ url }: Server, token: string): Promise<void> {
  const editors: RawEditor[] = [];
  for (let n = 0; n < EDITORS; n++) {
    editors.push(await RawEditor.open(url, 'acme/plan/long', token));
  }
  for (let at = 0; at < UPDATES; at += AT_ONCE) {
    const editor = editors[(at / AT_ONCE) % EDITORS];
    for (let n = 0; n < AT_ONCE; n++) editor?.typeAnywhere(String(n % 10));
    await editor?.confirmed(DEADLINE_MS);
  }
  for (const editor of editors) editor.close();
}

/** Returns how many updates the log of the long document has. */
async function copyAsSnapshot(database: Client): Promise<number> {
  const { doc, logLength } = await storedEditor(database, 'long');
  await database.query(
    `INSERT INTO crdt_documents (tenant_id, organization_id, document_id, editor_id, log_id,
       snapshot_version, snapshot)
     SELECT tenant_id, organization_id, document_id, 'snapshot', gen_random_uuid(), 1, $1
     FROM crdt_documents WHERE editor_id = 'long'`,
    [Buffer.from(Y.encodeStateAsUpdate(doc))],
  );
  return logLength;
}

/** The measurements alternate. A closed document leaves memory before it is opened again. */
async function measureBoth({ url }: Server, token: string) {
  const times = { long: [] as number[], snapshot: [] as number[] };
  for (let repeat = 0; repeat <= REPEATS; repeat++) {
    for (const name of ['long', 'snapshot'] as const) {
      const startedAt = performance.now();
      const editor = await RawEditor.open(url, `acme/plan/${name}`, token);
      if (repeat > 0) times[name].push(performance.now() - startedAt);
      editor.close();
      await untilUnloaded(url);
    }
  }
  return times;
}

async function untilUnloaded(url: string): Promise<void> {
  const deadline = performance.now() + DEADLINE_MS;
  while (performance.now() < deadline) {
    const metrics = await (await fetch(`${url}/metrics`)).text();
    if (/^live_documents 0$/m.test(metrics)) return;
  }
  throw new Error('A document stays in memory.');
}

function findings(logLength: number, times: { long: number[]; snapshot: number[] }): Finding[] {
  const ratio = median(times.long) / median(times.snapshot);
  return [
    { label: 'updates in the log', value: `${logLength} after ${UPDATES} updates` },
    { label: 'long history', value: `${median(times.long).toFixed(1)} ms` },
    { label: 'its snapshot alone', value: `${median(times.snapshot).toFixed(1)} ms` },
    { label: 'ratio', value: ratio.toFixed(2), target: '<= 1.5', met: ratio <= 1.5 },
  ];
}

export default documentOpen;
