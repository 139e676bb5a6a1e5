import { spawn, spawnSync } from 'node:child_process';
import { appendFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { pino } from 'pino';
import { beforeAll, describe, expect, inject, it } from 'vitest';
import type { OperationMeta } from '../../src/api/operation-meta.ts';
import { proceduresOf } from '../../src/api/trpc-internals.ts';
import { checkReplica } from '../../src/cli/doctor/check-database.ts';
import { appRouter } from '../../src/features/index.ts';
import {
  type Account,
  accountFor,
  processOptionsFor,
} from '../../src/platform/database/embedded-postgres/account.ts';
import {
  type Binaries,
  prepareBinaries,
} from '../../src/platform/database/embedded-postgres/binaries.ts';
import { prepareData } from '../../src/platform/database/embedded-postgres/data.ts';
import { serverArguments, urlFor } from '../../src/platform/database/embedded-postgres/settings.ts';
import { userHeaders } from '../support/annotations.ts';
import { dataOf } from '../support/answers.ts';
import { eventually } from '../support/eventually.ts';
import { freePort } from '../support/free-port.ts';
import { execute } from '../support/global-setup.ts';
import { createNetwork, type Network } from '../support/network.ts';
import { endProcess } from '../support/processes.ts';
import { startTestServer, type TestServer } from '../support/server.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { whenFileEnds } from '../support/when-file-ends.ts';

const PASSWORD = 'of no importance';
const STARTED_MS = 30_000;

/** The embedded PostgreSQL and its streaming replica, which are stopped at the end of the file. */
async function startPostgresPair() {
  const folder = await temporaryFolder('test-replica-');
  const account = accountFor(path.join(folder, 'postgres'));
  const binaries = prepareBinaries(folder, account);
  const folders = { folder, data: path.join(folder, 'postgres') };
  await prepareData({ folders, binaries, account, makePassword: () => PASSWORD });
  const copy = path.join(folder, 'replica');
  spawnSync('cp', ['-a', folders.data, copy]);
  const primary = await start(binaries, account, folders.data);
  const { port } = new URL(primary);
  writeFileSync(path.join(copy, 'standby.signal'), '');
  const source = `host=127.0.0.1 port=${port} user=collaboration password=''${PASSWORD}''`;
  appendFileSync(path.join(copy, 'postgresql.auto.conf'), `primary_conninfo = '${source}'\n`);
  const replica = await start(binaries, account, copy);
  return { primary, replica };
}

async function start(
  { postgres }: Binaries,
  account: Account | undefined,
  data: string,
): Promise<string> {
  const port = await freePort();
  const server = spawn(postgres, serverArguments(data, port), {
    ...processOptionsFor(account),
    stdio: 'ignore',
  });
  whenFileEnds(() => endProcess(server, 'SIGQUIT'));
  const url = urlFor(encodeURIComponent(PASSWORD), port);
  await eventually(() => execute(url, 'SELECT'), STARTED_MS);
  return url;
}

const AWAY = 'The read replica does not follow. The primary serves reads.';
const BACK = 'The read replica serves reads.';

/** Two processes on one primary, which read from its replica. */
describe('with a read replica', () => {
  let primary: string;
  let replica: string;
  let network: Network;
  let writer: TestServer;
  let reader: TestServer;
  const logged: string[] = [];
  let documents = 0;

  beforeAll(async () => {
    ({ primary, replica } = await startPostgresPair());
    network = await createNetwork(replica);
    const log = pino(
      { level: 'info' },
      { write: (line) => void logged.push(JSON.parse(line).msg) },
    );
    const environment = {
      DATABASE_URL: primary,
      READ_DATABASE_URL: network.url,
      REDIS_URL: inject('redisUrl') ?? '',
    };
    writer = await startTestServer(environment);
    reader = await startTestServer(environment, { log });
    const directory = { organizationId: 'acme', createOrganization: true };
    await writer.ok('/v2/organizations/documents/add', {
      ...directory,
      documents: [{ documentId: 'first', accessType: 'restricted' }],
    });
  });

  const replay = (act: 'pause' | 'resume') => execute(replica, `SELECT pg_wal_replay_${act}()`);

  /** Adds a document at one process, and looks for it in a list of the other. */
  async function expectOwnWrite(): Promise<void> {
    const documentId = `d-${documents++}`;
    const place = { organizationId: 'acme' };
    const added = { ...place, documents: [{ documentId }] };
    await writer.ok('/v2/organizations/documents/add', added);
    const list = { ...place, pageSize: 1000 };
    const found = await reader.ok('/v2/organizations/documents/get', list, writer.keyHeaders);
    expect(found.map(({ id }: { id: string }) => id)).toContain(documentId);
  }

  async function servedBy(server: 'primary' | 'replica'): Promise<number> {
    const { values } = await reader.app.services.metrics.replicaReads.get();
    return values.find(({ labels }) => labels.server === server)?.value ?? 0;
  }

  /** Reads until this server answers, and expects that each read has the latest write. */
  async function untilServedBy(server: 'primary' | 'replica'): Promise<void> {
    const before = await servedBy(server);
    await eventually(async () => {
      await expectOwnWrite();
      expect(await servedBy(server)).toBeGreaterThan(before);
    });
  }

  it('lists come from the replica, and hold what another process wrote before', async () => {
    // Both servers are counted before they have served, so that an alert can compare them.
    const { values } = await writer.app.services.metrics.replicaReads.get();
    expect(values.map(({ labels }) => labels.server).sort()).toEqual(['primary', 'replica']);
    await untilServedBy('replica');
    for (let count = 0; count < 20; count++) await expectOwnWrite();
  });

  it('the doctor reports whether the replica is fine, is none, or cannot be reached', async () => {
    const stateOf = async (readDatabaseUrl: string) =>
      (await checkReplica({ readDatabaseUrl }, primary))?.state;
    expect(await stateOf(replica)).toBe('fine');
    expect(await stateOf(primary)).toBe('problem');
    expect(await stateOf('postgresql://127.0.0.1:1/none')).toBe('warning');
  });

  it.each<[string, () => unknown, () => unknown]>([
    ['behind', () => replay('pause'), () => replay('resume')],
    ['away', () => network.cut(), () => network.mend()],
  ])('the primary serves while the replica is %s', async (_state, begin, end) => {
    await untilServedBy('replica');
    await begin();
    logged.length = 0;
    for (let count = 0; count < 5; count++) await expectOwnWrite();
    expect(logged.filter((line) => line === AWAY)).toHaveLength(1);
    await end();
    await untilServedBy('replica');
    expect(logged).toContain(BACK);
  });

  it('lists refuse a person whose access ended while the replica is behind', async () => {
    await untilServedBy('replica');
    const place = { organizationId: 'acme', documentId: 'first' };
    const grant = { type: 'document', id: place.documentId, organizationId: 'acme' };
    const ada = await userHeaders(writer, 'ada', [grant]);
    const list = () => reader.call('/v2/commentannotations/get', place, ada);
    dataOf(await list());
    await replay('pause');
    const removed = { user: { userId: 'ada' }, permissions: { resources: [grant] } };
    await writer.ok('/v2/auth/permissions/remove', removed);
    expect((await list()).body.error).toMatchObject({ status: 'PERMISSION_DENIED' });
    await replay('resume');
    await untilServedBy('replica');
    expect((await list()).body.error).toMatchObject({ status: 'PERMISSION_DENIED' });
  });

  it('the primary serves while the replica hangs', async () => {
    await untilServedBy('replica');
    network.holdAnswers();
    await untilServedBy('primary');
    for (let count = 0; count < 5; count++) await expectOwnWrite();
    network.releaseAnswers();
    await untilServedBy('replica');
  });

  it('a replica that was promoted serves no more', async () => {
    await untilServedBy('replica');
    await execute(replica, 'SELECT pg_promote()');
    const before = await servedBy('replica');
    for (let count = 0; count < 20; count++) await expectOwnWrite();
    expect(await servedBy('replica')).toBe(before);
  });
});

it('every list may come from a replica, but for events, which are moved while they are read', () => {
  const lists = proceduresOf(appRouter).filter(([, { _def }]) => {
    const { level, envelope } = (_def.meta ?? {}) as Partial<OperationMeta>;
    return (
      level === 'apiKey' && _def.type === 'query' && ['page', 'ndjson'].includes(envelope ?? '')
    );
  });
  const others = lists.filter(([, { _def }]) => !(_def.meta as OperationMeta).fromReplica);
  expect(lists.length).toBeGreaterThan(10);
  expect(others.map(([name]) => name)).toEqual([]);
});
