import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { appendFileSync, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import path from 'node:path';
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
import { eventually } from './eventually.ts';
import { freePort } from './free-port.ts';
import { execute } from './global-setup.ts';
import { makeTemporaryFolder } from './temporary-folder.ts';
import { whenFileEnds } from './when-file-ends.ts';

const PASSWORD = 'of no importance';
const STARTED_MS = 30_000;

/** The URLs of a server and of its streaming replica. */
export interface PostgresPair {
  primary: string;
  replica: string;
}

/** Two servers of the embedded PostgreSQL, which are stopped at the end of the file. */
export async function startPostgresPair(): Promise<PostgresPair> {
  const folder = await makeTemporaryFolder('test-replica-');
  whenFileEnds(() => rm(folder, { recursive: true, force: true, maxRetries: 10 }));
  const account = accountFor(path.join(folder, 'postgres'));
  const binaries = prepareBinaries(folder, account);
  const place = { folder, data: path.join(folder, 'postgres') };
  await prepareData({ place, binaries, account, makePassword: () => PASSWORD });
  const copy = path.join(folder, 'replica');
  spawnSync('cp', ['-a', place.data, copy]);
  const primary = await start(binaries, account, place.data);
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
  whenFileEnds(async () => {
    if (server.exitCode !== null) return;
    server.kill('SIGQUIT');
    await once(server, 'exit');
  });
  const url = urlFor(encodeURIComponent(PASSWORD), port);
  await eventually(() => execute(url, 'SELECT'), STARTED_MS);
  return url;
}
