import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { rm } from 'node:fs/promises';
import path from 'node:path';
import { freePort } from './free-port.ts';
import { makeTemporaryFolder } from './temporary-folder.ts';

/** The real service as a separate process with the role worker, which can be killed. */
export class WorkerProcess {
  readonly #child: ChildProcess;
  readonly #dataDir: string;

  static async start(environment: Record<string, string>): Promise<WorkerProcess> {
    const dataDir = await makeTemporaryFolder('test-worker-');
    const child = spawn(process.execPath, ['src/main.ts'], {
      cwd: path.join(import.meta.dirname, '../..'),
      env: {
        PATH: process.env.PATH,
        TMPDIR: process.env.TMPDIR,
        NODE_ENV: 'test',
        ADMIN_TOKEN: 'a token of no importance',
        LOG_LEVEL: 'error',
        PORT: String(await freePort()),
        ROLES: 'worker',
        DATA_DIR: dataDir,
        ...environment,
      },
      stdio: ['ignore', 'ignore', 'inherit'],
    });
    return new WorkerProcess(child, dataDir);
  }

  private constructor(child: ChildProcess, dataDir: string) {
    this.#child = child;
    this.#dataDir = dataDir;
  }

  /** Kills the process without a graceful stop. */
  async kill(): Promise<void> {
    const exit = once(this.#child, 'exit');
    if (this.#child.exitCode === null && this.#child.kill('SIGKILL')) await exit;
    await rm(this.#dataDir, { recursive: true, force: true });
  }
}
