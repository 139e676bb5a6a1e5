import { spawnSync } from 'node:child_process';
import {
  existsSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { basename, join } from 'node:path';
import { codeOf } from '../../start-error.ts';
import { endServer, type ServerLog } from './server.ts';

/**
 * Stops a PostgreSQL that survived the process that started it. The caller must hold the lock on
 * DATA_DIR, so that the server belongs to no other process.
 */
export async function stopOrphan(data: string, log: ServerLog): Promise<void> {
  const file = join(data, 'postmaster.pid');
  if (!existsSync(file)) return;
  const [firstLine = '', ...otherLines] = readFileSync(file, 'utf8').split('\n');
  const pid = Number.parseInt(firstLine, 10);
  if (!(pid > 1) || !isAlive(pid)) return;
  if (!servesData(pid, data)) {
    writeOwnId(file, otherLines);
    return;
  }
  log.warn({ pid }, 'PostgreSQL outlived the process that started it. Stopping PostgreSQL.');
  await endServer({
    // The data is checked each time, because another process may get the id of one that has ended.
    isRunning: () => isAlive(pid) && servesData(pid, data),
    signal: (name) => process.kill(pid, name),
  });
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return codeOf(error) === 'EPERM';
  }
}

function servesData(pid: number, data: string): boolean {
  const folder = realpathSync(data);
  if (process.platform === 'linux') {
    const executable = basename(readProcessLink(pid, 'exe')).replace(/ \(deleted\)$/, '');
    return executable === 'postgres' && readProcessLink(pid, 'cwd') === folder;
  }
  const { stdout } = spawnSync('ps', ['-o', 'command=', '-p', String(pid)], { encoding: 'utf8' });
  return stdout?.includes('/postgres -D ') && stdout.includes(` ${folder} `);
}

function readProcessLink(pid: number, name: string): string {
  try {
    return readlinkSync(`/proc/${pid}/${name}`);
  } catch {
    // The server has ended meanwhile, or the process belongs to another user, so it is not our server.
    return '';
  }
}

/**
 * Writes the id of this process into the file. PostgreSQL would refuse to start while another program
 * runs with the id in the file, but ignores the id of its parent, which is this process. From the rest
 * of the file, it still detects whether sessions of the dead server use the data.
 */
function writeOwnId(file: string, otherLines: string[]): void {
  rmSync(file);
  writeFileSync(file, [process.pid, ...otherLines].join('\n'), { flag: 'wx', mode: 0o644 });
}
