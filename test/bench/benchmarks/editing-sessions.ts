import { fork } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'pg';
import type { Finding, Measurement } from '../harness/benchmark.ts';
import { type Postgres, withFilled } from '../harness/databases.ts';
import type { EditingReport, EditingRequest } from '../harness/editing-process.ts';
import { HttpConnection } from '../harness/http-connection.ts';
import { cpuMsOf } from '../harness/process-facts.ts';
import { type ReportingServer, startReporting } from '../harness/reporting-server.ts';
import { startNode, startOurs } from '../harness/servers.ts';

const CONNECTIONS = Number(process.env.BENCH_CONNECTIONS ?? 1_000);
const DOCUMENTS = Number(process.env.BENCH_DOCUMENTS ?? 100);
const DOCUMENT_BYTES = Number(process.env.BENCH_DOCUMENT_BYTES ?? 20_000);
const ROUNDS = Number(process.env.BENCH_EDITING_ROUNDS ?? 2);
/** Seconds of a round. Hocuspocus drops editors that are silent for a minute. */
const SECONDS = Number(process.env.BENCH_EDITING_SECONDS ?? 30);
const PER_SECOND = 2;
/** After this time both have written the last edits and released the documents. */
const SETTLE_MS = 5_000;

const documents = Array.from({ length: DOCUMENTS }, (_, n) => `acme/document-${n}/body`);

/** The resources that a server used in all rounds. */
interface Burden {
  cpuMs: number;
  /** Bytes of write-ahead log, which are all bytes that the database wrote. */
  writtenBytes: number;
  bytesPerDocument: number;
  received: number;
  lost: number;
}

/** Many users type in many documents, here and in Hocuspocus with default settings, alternately. */
const editingSessions: Measurement = {
  name: 'editing-sessions',
  measure: (postgres: Postgres) =>
    withSession(
      postgres,
      startVanilla,
      async () => noTokens(),
      (theirs) =>
        withSession(postgres, startOurs, makeTokens, async (ours) => {
          for (let round = 0; round < ROUNDS; round++) {
            await theirs.type();
            await ours.type();
          }
          return findings(ours.burden, theirs.burden);
        }),
    ),
};

const startVanilla: typeof startOurs = (databaseUrl, environment, more = []) =>
  startNode([...more, 'test/bench/baseline/hocuspocus.ts'], '/', {
    DATABASE_URL: databaseUrl,
    ...environment,
  });

/** Starts a server with its own database, connects all editors, and runs `work`. */
async function withSession<Result>(
  postgres: Postgres,
  start: typeof startOurs,
  tokensFor: (url: string) => Promise<string[]>,
  work: (session: Session) => Promise<Result>,
): Promise<Result> {
  return await withFilled(
    postgres,
    async () => undefined,
    async (url) => {
      const server = await startReporting(url, {}, start);
      const database = new Client({ connectionString: url });
      await database.connect();
      const session = new Session(server, database);
      try {
        await session.open(await tokensFor(server.url));
        return await work(session);
      } finally {
        session.close();
        await database.end();
        await server.stop();
      }
    },
  );
}

class Session {
  readonly burden: Burden = {
    cpuMs: 0,
    writtenBytes: 0,
    bytesPerDocument: 0,
    received: 0,
    lost: 0,
  };
  readonly #server: ReportingServer;
  readonly #database: Client;
  readonly #editors = fork(path.join(import.meta.dirname, '../harness/editing-process.ts'));

  constructor(server: ReportingServer, database: Client) {
    this.#server = server;
    this.#database = database;
  }

  async open(tokens: string[]): Promise<void> {
    const bytesBefore = await this.#server.usedBytes();
    const order = { url: this.#server.url, documents, tokens, documentBytes: DOCUMENT_BYTES };
    await this.#ask({ ...order, perSecond: PER_SECOND, seconds: SECONDS });
    await sleep(SETTLE_MS);
    const bytes = (await this.#server.usedBytes()) - bytesBefore;
    this.burden.bytesPerDocument = bytes / DOCUMENTS;
    await this.#database.query('CHECKPOINT');
  }

  /** All editors type for one round. */
  async type(): Promise<void> {
    const { pid } = this.#server;
    const [cpuBefore, walBefore] = [await cpuMsOf(pid), await walPosition(this.#database)];
    const { received, lost } = await this.#ask('type');
    await sleep(SETTLE_MS);
    this.burden.cpuMs += (await cpuMsOf(pid)) - cpuBefore;
    this.burden.writtenBytes += (await walPosition(this.#database)) - walBefore;
    this.burden.received += received;
    this.burden.lost = lost;
  }

  close(): void {
    if (this.#editors.connected) this.#editors.disconnect();
  }

  async #ask(message: EditingRequest | 'type'): Promise<EditingReport> {
    this.#editors.send(message);
    const [report] = await Promise.race([once(this.#editors, 'message'), failed(this.#editors)]);
    return report;
  }
}

async function failed(editors: ReturnType<typeof fork>): Promise<never> {
  await once(editors, 'exit');
  throw new Error('The process with the editors ended.');
}

async function walPosition(database: Client): Promise<number> {
  const { rows } = await database.query(
    `SELECT pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '0/0')::float8 AS bytes`,
  );
  return rows[0].bytes;
}

const noTokens = (): string[] => Array.from({ length: CONNECTIONS }, () => 'nobody asks');

/** A separate user for each editor. */
async function makeTokens(url: string): Promise<string[]> {
  const connection = await HttpConnection.open(url);
  const post = async (requestPath: string, data: object) => {
    const { status, body } = await connection.post({ path: requestPath, data });
    if (status !== 200) throw new Error(body);
    return JSON.parse(body).result.data;
  };
  const place = { organizationId: 'acme', createOrganization: true };
  await post('/v2/organizations/documents/add', {
    ...place,
    documents: Array.from({ length: DOCUMENTS }, (_, n) => ({ documentId: `document-${n}` })),
  });
  const tokens: string[] = [];
  for (let n = 0; n < CONNECTIONS; n++) {
    const resources = [{ type: 'organization', id: 'acme', organizationId: 'acme' }];
    const user = { userId: `user-${n}`, permissions: { resources } };
    tokens.push((await post('/v2/auth/generate_token', user)).token);
  }
  connection.close();
  return tokens;
}

function findings(ours: Burden, theirs: Burden): Finding[] {
  const describe = ({ cpuMs, writtenBytes, bytesPerDocument, received, lost }: Burden) =>
    [
      `CPU ${(cpuMs / (ROUNDS * SECONDS) / 10).toFixed(0)} % of a core`,
      `${(writtenBytes / 1024 / 1024).toFixed(1)} MB written`,
      `${(bytesPerDocument / 1024).toFixed(0)} KB an open document`,
      `${received} messages to editors, ${lost} editors lost`,
    ].join(', ');
  const ratio = (label: string, of: (burden: Burden) => number, most: number): Finding => ({
    label,
    value: (of(ours) / of(theirs)).toFixed(2),
    target: `<= ${most}`,
    met: of(ours) / of(theirs) <= most,
  });
  return [
    { label: 'ours', value: describe(ours) },
    { label: 'vanilla Hocuspocus', value: describe(theirs) },
    ratio('ratio of CPU', ({ cpuMs }) => cpuMs, 1.3),
    ratio('ratio of data written', ({ writtenBytes }) => writtenBytes, 1),
    ratio('ratio of memory', ({ bytesPerDocument }) => bytesPerDocument, 1.2),
  ];
}

export default editingSessions;
