import { readdir, readFile } from 'node:fs/promises';

/** Sizes in bytes. */
export interface Memory {
  /** Resident memory of the process itself. */
  process: number;
  /** The memory of all descendants. Shared pages count once (PSS). */
  children: number;
}

/** @returns undefined without /proc. */
export async function memoryOf(pid: number): Promise<Memory | undefined> {
  if (process.platform !== 'linux') return undefined;
  const descendants = await descendantsOf(pid);
  const shares = await Promise.all(
    descendants.map((child) => bytesIn(`/proc/${child}/smaps_rollup`, 'Pss')),
  );
  return {
    process: await bytesIn(`/proc/${pid}/status`, 'VmRSS'),
    children: shares.reduce((sum, share) => sum + share, 0),
  };
}

/** Linux counts a process's time in ticks of this length (USER_HZ, the same on every machine). */
const TICK_MS = 10;

/** The processor time of the process in milliseconds; NaN without /proc. */
export async function cpuMsOf(pid: number): Promise<number> {
  const text = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
  // The name of the program is in parentheses and may contain spaces.
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11]) + Number(fields[12])) * TICK_MS;
}

async function bytesIn(file: string, field: string): Promise<number> {
  const text = await readFile(file, 'utf8').catch(() => '');
  return Number(new RegExp(`^${field}:\\s+(\\d+) kB`, 'm').exec(text)?.[1] ?? 0) * 1024;
}

async function descendantsOf(ancestor: number): Promise<number[]> {
  const parents = await parentsOfAll();
  const family = new Set([ancestor]);
  // A child may be listed before its parent, so this repeats until it finds no new process.
  for (let before = 0; before !== family.size; ) {
    before = family.size;
    for (const [pid, parent] of parents) if (family.has(parent)) family.add(pid);
  }
  family.delete(ancestor);
  return [...family];
}

async function parentsOfAll(): Promise<Map<number, number>> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name)).map(Number);
  const parents = new Map<number, number>();
  for (const pid of pids) {
    const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '');
    parents.set(pid, Number(/^PPid:\s+(\d+)/m.exec(status)?.[1] ?? 0));
  }
  return parents;
}
