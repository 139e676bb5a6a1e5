import { rm } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { makeTemporaryFolder } from '../../support/temporary-folder.ts';
import { type Finding, type Measurement, median } from '../harness/benchmark.ts';
import { type Memory, memoryOf } from '../harness/process-facts.ts';
import { MAIN, type Server, startNode } from '../harness/servers.ts';

const REPEATS = 3;
/** After this time, deferred work of the start (the quickstart's files) is done. */
const SETTLE_MS = 2_000;
const MEGABYTE = 1024 * 1024;

interface Starts {
  firstMs: number;
  laterMs: number;
  memory: Memory | undefined;
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
      ...memoryFindings(all.flatMap(({ memory }) => memory ?? [])),
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
    const memory = await memoryOf(later.server.pid);
    await later.server.stop();
    return { firstMs: first.elapsedMs, laterMs: later.elapsedMs, memory };
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

function memoryFindings(all: Memory[]): Finding[] {
  if (all.length === 0) return [{ label: 'idle memory', value: 'measured on Linux only' }];
  const ours = median(all.map(({ process }) => process)) / MEGABYTE;
  const children = median(all.map((one) => one.children)) / MEGABYTE;
  return [
    {
      label: 'idle memory, process',
      value: `${Math.round(ours)} MB`,
      target: '< 150 MB',
      met: ours < 150,
    },
    { label: 'idle memory, with PostgreSQL', value: `${Math.round(ours + children)} MB` },
  ];
}
