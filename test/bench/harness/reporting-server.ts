import { readFile, rm } from 'node:fs/promises';
import path from 'node:path';
import { eventually } from '../../support/eventually.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { startOurs } from './servers.ts';

const DEADLINE_MS = 30_000;

export type ReportingServer = Awaited<ReturnType<typeof startReporting>>;

/** Starts a server that reports its memory on request (`report-memory.ts`). */
export async function startReporting(
  databaseUrl: string,
  environment: Record<string, string> = {},
) {
  const file = path.join(await temporaryFolder('bench-memory-'), 'memory');
  const preloaded = ['--expose-gc', '--import', './test/bench/harness/report-memory.ts'];
  const own = { ...environment, BENCH_MEMORY_FILE: file };
  const server = await startOurs(databaseUrl, own, preloaded);
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
  };
}
