import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import path from 'node:path';
import type { Client } from 'pg';
import { eventually } from '../../support/eventually.ts';
import { freePort } from '../../support/free-port.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { whenFileEnds } from '../../support/when-file-ends.ts';
import { SECRET_KEY } from './credentials.ts';
import { type Postgres, twinDatabases } from './databases.ts';

const ROOT = path.join(import.meta.dirname, '../../..');
const READY_DEADLINE_MS = 60_000;
/** As `npm start` and the image start it. */
export const MAIN = ['--max-semi-space-size=16', 'src/main.ts'];

export interface Server {
  url: string;
  pid: number;
  stop(): Promise<void>;
}

/** Our server as it runs in production, with its log discarded. */
export async function startOurs(
  databaseUrl: string,
  environment: Record<string, string> = {},
  nodeOptions: string[] = [],
): Promise<Server> {
  return startNode([...profiling(), ...nodeOptions, ...MAIN], '/readyz', {
    NODE_ENV: 'production',
    SECRET_KEY: SECRET_KEY.toString('base64'),
    ADMIN_TOKEN: randomBytes(32).toString('hex'),
    DATABASE_URL: databaseUrl,
    DATA_DIR: await temporaryFolder('bench-data-'),
    RATE_LIMIT_PER_SECOND: '0',
    ITEMS_PER_SECOND: '0',
    BYTES_PER_SECOND: '0',
    DATABASE_MS_PER_SECOND: '0',
    ...environment,
  });
}

const startBaseline = (databaseUrl: string): Promise<Server> =>
  startNode([...profiling(), 'test/bench/baseline/server.ts'], '/healthz', {
    DATABASE_URL: databaseUrl,
  });

/** Starts both on equal databases. */
export async function startBoth(
  postgres: Postgres,
  prepare: (database: Client) => Promise<void>,
): Promise<Record<'ours' | 'baseline', Server>> {
  const [ours, baseline] = await twinDatabases(postgres, prepare);
  return { ours: await startOurs(ours), baseline: await startBaseline(baseline) };
}

function profiling(): string[] {
  const folder = process.env.BENCH_PROFILE_DIR;
  return folder ? ['--cpu-prof', `--cpu-prof-dir=${folder}`] : [];
}

/** Starts a script until the end of the benchmark, and waits until it answers at `readyPath`. */
export async function startNode(
  script: string[],
  readyPath: string,
  environment: Record<string, string>,
): Promise<Server> {
  const port = await freePort();
  const child = spawn(process.execPath, script, {
    cwd: ROOT,
    env: { PATH: process.env.PATH, TMPDIR: process.env.TMPDIR, PORT: String(port), ...environment },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  whenFileEnds(() => end(child));
  const url = `http://127.0.0.1:${port}`;
  const isReady = async () => {
    if (child.exitCode !== null) return false;
    if (!(await fetch(url + readyPath)).ok) throw new Error('It is not ready.');
    return true;
  };
  if (!(await eventually(isReady, READY_DEADLINE_MS).catch(() => false))) {
    child.kill('SIGKILL');
    throw new Error(`The server did not become ready at ${url}${readyPath}.`);
  }
  return { url, pid: child.pid ?? 0, stop: () => end(child) };
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.kill('SIGTERM');
  await once(child, 'exit');
}
