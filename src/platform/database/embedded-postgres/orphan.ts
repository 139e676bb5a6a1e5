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
import { endServer } from './ending.ts';
import type { Logger } from './server.ts';

/**
 * When our process was killed, its PostgreSQL runs on. Only call this with the lock on DATA_DIR
 * held: then a server on this data is nobody's, and is ended.
 */
export async function stopOrphan(data: string, log: Logger): Promise<void> {
  const file = join(data, 'postmaster.pid');
  if (!existsSync(file)) return;
  const [firstLine = '', ...otherLines] = readFileSync(file, 'utf8').split('\n');
  const pid = Number.parseInt(firstLine, 10);
  if (!(pid > 1) || !isAlive(pid)) return;
  if (!servesData(pid, data)) {
    disownStranger(file, otherLines);
    return;
  }
  log.warn({ pid }, 'PostgreSQL is still running for a process that is gone. It is ended.');
  await endServer({
    // Asked anew each time, because a process id may be given to somebody else.
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
    // It ended in the meantime, or belongs to another user, which our server does not.
    return '';
  }
}

/**
 * The id in the file was given to another program since, and PostgreSQL would refuse to start as
 * long as that one runs. Our own id makes it look further: it ignores its parent's, but still sees
 * by the rest of the file whether sessions of the dead server are using the data.
 */
function disownStranger(file: string, otherLines: string[]): void {
  rmSync(file);
  writeFileSync(file, [process.pid, ...otherLines].join('\n'), { flag: 'wx', mode: 0o644 });
}
