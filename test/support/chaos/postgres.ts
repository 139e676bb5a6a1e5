import { readFile, rm } from 'node:fs/promises';
import path from 'node:path';
import { Client } from 'pg';
import { startEmbeddedPostgres } from '../../../src/platform/database/embedded-postgres.ts';
import { makeTemporaryFolder } from '../temporary-folder.ts';
import { whenFileEnds } from '../when-file-ends.ts';

const quiet = { info: () => undefined, warn: () => undefined, error: () => undefined };

/** A separate PostgreSQL. After a kill it starts again by itself, at its address. */
export interface PostgresServer {
  url: string;
  /** Kills it, unless it is starting. */
  kill(): Promise<void>;
}

export async function startPostgres(): Promise<PostgresServer> {
  const dataDir = await makeTemporaryFolder('test-postgres-');
  const postgres = await startEmbeddedPostgres({ dataDir, log: quiet });
  whenFileEnds(async () => {
    await postgres.stop();
    await rm(dataDir, { recursive: true, force: true });
  });
  return {
    url: postgres.url,
    async kill() {
      const client = new Client({ connectionString: postgres.url });
      client.on('error', () => undefined);
      try {
        await client.connect();
      } catch {
        return;
      }
      // The connection proves that the process in the file lives: its id belongs to nobody else.
      const file = path.join(dataDir, 'postgres', 'postmaster.pid');
      const [pid] = (await readFile(file, 'utf8')).split('\n');
      process.kill(Number(pid), 'SIGKILL');
      await client.end();
    },
  };
}
