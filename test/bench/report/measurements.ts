import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { cpus, loadavg, release, totalmem, type } from 'node:os';
import path from 'node:path';
import { Client } from 'pg';
import type { Finding, Sample } from '../harness/benchmark.ts';
import type { Postgres } from '../harness/databases.ts';

export const FOLDER = path.join(import.meta.dirname, '../../../docs/performance');
const FILE = path.join(FOLDER, 'measurements.json');
const GIGABYTE = 1024 ** 3;

/** The findings of one benchmark, with the machine and the time. */
export interface Measured extends Circumstances {
  findings?: Finding[];
  samples?: Sample[];
}

export interface Circumstances {
  date: string;
  machine: string;
  /** Threads that wanted a core in the minute before: other work makes every time longer. */
  loadBefore: number;
}

/** By the names of the benchmarks. */
export type Measurements = Record<string, Measured>;

export const readMeasurements = (): Measurements =>
  existsSync(FILE) ? JSON.parse(readFileSync(FILE, 'utf8')) : {};

/** One line for each benchmark. */
export function writeMeasurements(measurements: Measurements): void {
  const lines = Object.keys(measurements)
    .toSorted()
    .map((name) => `${JSON.stringify(name)}: ${JSON.stringify(measurements[name], rounded)}`);
  mkdirSync(FOLDER, { recursive: true });
  writeFileSync(FILE, `{\n${lines.join(',\n')}\n}\n`);
}

const rounded = (_: string, value: unknown) =>
  typeof value === 'number' ? Math.round(value * 1000) / 1000 : value;

export async function circumstances({ adminUrl }: Postgres): Promise<Circumstances> {
  const database = new Client({ connectionString: adminUrl });
  await database.connect();
  const { rows } = await database.query<{ server_version: string }>('SHOW server_version');
  await database.end();
  const cores = cpus();
  const machine = [
    `${cores.length} cores (${cores[0]?.model.trim()})`,
    `${Math.round(totalmem() / GIGABYTE)} GB`,
    `${type()} ${release()}`,
    `Node ${process.version}`,
    `PostgreSQL ${rows[0]?.server_version}`,
  ].join(', ');
  return { date: new Date().toISOString().slice(0, 10), machine, loadBefore: loadavg()[0] ?? 0 };
}
