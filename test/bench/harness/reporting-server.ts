import { readFile, rm } from 'node:fs/promises';
import path from 'node:path';
import { eventually } from '../../support/eventually.ts';
import { makeTemporaryFolder } from '../../support/temporary-folder.ts';
import { startOurs } from './servers.ts';

const DEADLINE_MS = 30_000;

export type ReportingServer = Awaited<ReturnType<typeof startReporting>>;

/** Starts a server that reports its memory on request (`report-memory.ts`). */
export async function startReporting(
  databaseUrl: string,
  environment: Record<string, string> = {},
) {
  const folder = await makeTemporaryFolder('bench-memory-');
  const file = path.join(folder, 'memory');
  const preloaded = ['--expose-gc', '--import', './test/bench/harness/report-memory.ts'];
  const server = await startOurs(
    databaseUrl,
    { ...environment, BENCH_MEMORY_FILE: file },
    preloaded,
  );
  return {
    ...server,
    /** Bytes of the heap and of buffers, after garbage was collected. */
    async usedBytes() {
      await rm(file, { force: true });
      process.kill(server.pid, 'SIGUSR2');
      return eventually(
        async (): Promise<number> => JSON.parse(await readFile(file, 'utf8')),
        DEADLINE_MS,
      );
    },
    async stop() {
      await server.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
