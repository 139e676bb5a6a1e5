import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { expect } from 'vitest';
import type { AuthLevel } from '../../src/api/operation-meta.ts';
import { editorsOf } from './editors.ts';
import { eventually } from './eventually.ts';
import { freePort } from './free-port.ts';
import { createDatabase, credentialHeaders, type Quickstart, SHARED_SECRET_KEY } from './server.ts';
import { temporaryFolder } from './temporary-folder.ts';
import { whenFileEnds } from './when-file-ends.ts';

const ROOT = path.join(import.meta.dirname, '../..');
const START_DEADLINE_MS = 120_000;

/**
 * How long a caller may hold the event loop, in ms of processor time. The guarantee is 100 ms on a
 * quiet machine, and `LONGEST_BLOCK_MS=100 npm test` checks it there. The default leaves room for
 * slow and shared runners: work that grows with hostile input takes seconds everywhere.
 */
export const LONGEST_BLOCK_MS = Number(process.env.LONGEST_BLOCK_MS ?? 250);

export type ServerProcess = Awaited<ReturnType<typeof serverProcess>>;

interface ProcessOptions {
  /** A file of test/support that is loaded first, and listens to messages. */
  preload?: 'watch-event-loop' | 'step-clock';
  /** The code that runs: this project's, or that of another release. */
  folder?: string;
}

/** Ends a child process that may have ended already. @returns its exit code */
export async function endProcess(
  child: ChildProcess,
  signal: NodeJS.Signals = 'SIGKILL',
): Promise<number | null> {
  if (child.exitCode !== null || child.signalCode !== null) return null;
  child.kill(signal);
  const [code] = await once(child, 'exit');
  return code;
}

/** The server as a separate process, which can be killed and restarted at its address. */
export async function serverProcess(
  environment: Record<string, string>,
  { preload, folder = ROOT }: ProcessOptions = {},
) {
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const dataDir = await temporaryFolder('test-process-');
  /** Everything that it wrote to standard error, which should be nothing. */
  const complaints: string[] = [];
  /** Everything that it wrote to standard output, by default nothing. */
  const logged: string[] = [];
  let child: ChildProcess | undefined;
  const isRunning = () => child?.exitCode === null && child.signalCode === null;
  const end = async (signal: NodeJS.Signals): Promise<number | null> => {
    const ending = child;
    child = undefined;
    return ending ? endProcess(ending, signal) : null;
  };
  type Headers = Record<AuthLevel, Record<string, string>>;
  /** The credentials that the first start on an empty database generated. */
  const headersByLevel = async (): Promise<Headers> => {
    const text = await readFile(path.join(dataDir, 'quickstart.json'), 'utf8');
    const headers = credentialHeaders(JSON.parse(text) as Quickstart);
    const { adminHeaders, workspaceHeaders, keyHeaders } = headers;
    return { admin: adminHeaders, workspace: workspaceHeaders, apiKey: keyHeaders };
  };
  whenFileEnds(() => end('SIGKILL'));
  return {
    url,
    dataDir,
    complaints,
    logged,
    get isRunning() {
      return isRunning();
    },
    /** Resolves once it is ready, and rejects when it ends before. */
    async start() {
      const first = preload ? ['--import', `./test/support/${preload}.ts`] : [];
      child = spawn(process.execPath, [...first, 'src/main.ts'], {
        cwd: folder,
        env: {
          PATH: process.env.PATH,
          NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE,
          NODE_ENV: 'test',
          PORT: String(port),
          LOG_LEVEL: 'silent',
          SECRET_KEY: SHARED_SECRET_KEY,
          RATE_LIMIT_PER_SECOND: '0',
          ITEMS_PER_SECOND: '0',
          BYTES_PER_SECOND: '0',
          DATABASE_MS_PER_SECOND: '0',
          // The tests that run at the same time share a hundred connections, as in server.ts.
          DATABASE_POOL_SIZE: '4',
          DATA_DIR: dataDir,
          ...environment,
        },
        stdio: ['ignore', 'pipe', 'pipe', ...(preload ? ['ipc' as const] : [])],
      });
      child.stdout?.on('data', (text: Buffer) => logged.push(String(text)));
      child.stderr?.on('data', (text: Buffer) => complaints.push(String(text)));
      const isReady = await eventually(async () => {
        if (!isRunning()) return false;
        const { ok } = await fetch(`${url}/readyz`);
        if (!ok) throw new Error(`${url} is not ready: ${complaints.join('')}`);
        return true;
      }, START_DEADLINE_MS);
      if (!isReady) throw new Error(`${url} ended: ${complaints.join('')}`);
    },
    async kill() {
      await end('SIGKILL');
    },
    /** Freezes the process, with everything that it holds, until `resume`. */
    freeze: () => void child?.kill('SIGSTOP'),
    resume: () => void child?.kill('SIGCONT'),
    signal: (name: NodeJS.Signals) => void child?.kill(name),
    /** @returns its exit code. */
    stop: () => end('SIGTERM'),
    /** How long its event loop was blocked at most since the last call (watch-event-loop.ts), in ms. */
    async longestBlockMs(): Promise<number> {
      if (!child) throw new Error('It does not run.');
      child.send('how long?');
      const [ms] = await once(child, 'message');
      return ms;
    },
    /** Sets its time of day this many milliseconds off the true one (step-clock.ts). */
    stepClock: (offsetMs: number) => void child?.send(offsetMs),
    keyHeaders: async () => (await headersByLevel()).apiKey,
    headersByLevel,
  };
}

/**
 * A server process with the document `plan`, and what its work blocked the event loop for too long.
 */
export async function watchedServer(environment: Record<string, string> = {}) {
  const databaseUrl = await createDatabase();
  const settings = { DATABASE_URL: databaseUrl, ...environment };
  const server = await serverProcess(settings, { preload: 'watch-event-loop' });
  await server.start();
  const headers = await server.headersByLevel();
  const editors = await editorsOf({ url: server.url, keyHeaders: headers.apiKey });
  /** Watches stages of some work. `slow` names those that blocked the event loop for too long. */
  const watchStages = () => {
    const blocks: Record<string, number> = {};
    const watch = async <Result>(stage: string, work: () => Promise<Result>): Promise<Result> => {
      await server.longestBlockMs();
      const result = await work();
      blocks[stage] = Math.max(blocks[stage] ?? 0, Math.round(await server.longestBlockMs()));
      return result;
    };
    const slow = () => Object.entries(blocks).filter(([, ms]) => ms >= LONGEST_BLOCK_MS);
    return { watch, slow };
  };
  const expectNoBlock = async (work: () => Promise<unknown>): Promise<void> => {
    const { watch, slow } = watchStages();
    await watch('longest block', work);
    expect(slow()).toEqual([]);
  };
  return { ...editors, server, databaseUrl, headers, watchStages, expectNoBlock };
}
