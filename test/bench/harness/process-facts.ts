import { readFile } from 'node:fs/promises';

/** The resident memory of the process in bytes; undefined without /proc. */
export async function residentBytesOf(pid: number): Promise<number | undefined> {
  const text = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '');
  const kilobytes = /^VmRSS:\s+(\d+) kB/m.exec(text)?.[1];
  return kilobytes === undefined ? undefined : Number(kilobytes) * 1024;
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
