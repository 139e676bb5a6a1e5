import { rm } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { makeTemporaryFolder } from '../../support/temporary-folder.ts';
import { type Finding, type Measurement, median } from '../harness/benchmark.ts';
import { residentBytesOf } from '../harness/process-facts.ts';
import { MAIN, type Server, startNode } from '../harness/servers.ts';

const REPEATS = 3;
/** After this time, deferred work of the start (the quickstart's files) is done. */
const SETTLE_MS = 2_000;
const MEGABYTE = 1024 * 1024;

interface Starts {
  firstMs: number;
  laterMs: number;
  /** Resident memory of the idle process. */
  idleBytes: number;
}

/**
 * Measures from an empty folder, including embedded PostgreSQL, to a ready server, and once more with
 * its database and its compiled modules, as `npm start` keeps them.
 */
export const start: Measurement = {
  name: 'start',
  async measure() {
    const all: Starts[] = [];
    for (let repeat = 0; repeat < REPEATS; repeat++) all.push(await startTwice());
    return [
      seconds('first start', median(all.map(({ firstMs }) => firstMs)), 6),
      seconds('later start', median(all.map(({ laterMs }) => laterMs)), 1.5),
      memoryFinding(median(all.map(({ idleBytes }) => idleBytes)) / MEGABYTE),
    ];
  },
};

async function startTwice(): Promise<Starts> {
  const dataDir = await makeTemporaryFolder('bench-start-');
  try {
    const first = await timedStart(dataDir);
    await sleep(SETTLE_MS);
    await first.server.stop();
    const later = await timedStart(dataDir);
    await sleep(SETTLE_MS);
    const idleBytes = await residentBytesOf(later.server.pid);
    await later.server.stop();
    return { firstMs: first.elapsedMs, laterMs: later.elapsedMs, idleBytes };
  } finally {
    await rm(dataDir, { recursive: true, force: true });
  }
}

async function timedStart(dataDir: string): Promise<{ server: Server; elapsedMs: number }> {
  const startedAt = performance.now();
  const environment = { DATA_DIR: dataDir, NODE_COMPILE_CACHE: path.join(dataDir, 'modules') };
  const server = await startNode(MAIN, '/readyz', environment);
  return { server, elapsedMs: performance.now() - startedAt };
}

const seconds = (label: string, elapsedMs: number, target: number): Finding => ({
  label,
  value: `${(elapsedMs / 1000).toFixed(2)} s`,
  target: `< ${target} s`,
  met: elapsedMs < target * 1000,
});

const memoryFinding = (megabytes: number): Finding => ({
  label: 'idle memory, process',
  value: Number.isNaN(megabytes) ? 'measured on Linux only' : `${Math.round(megabytes)} MB`,
  target: '< 150 MB',
  met: megabytes < 150,
});
