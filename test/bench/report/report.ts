import { writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Benchmark, Growth } from '../harness/benchmark.ts';
import type { Postgres } from '../harness/databases.ts';
import { GOALS, LISTED } from './goals.ts';
import {
  circumstances,
  FOLDER,
  type Measurements,
  readMeasurements,
  writeMeasurements,
} from './measurements.ts';
import { writeGrowthPage, writePage } from './page.ts';

/** The benchmarks of the page, in its order. */
export function reportedAmong(available: string[]): string[] {
  const named = [...GOALS.map(({ benchmark }) => benchmark), ...Object.keys(LISTED)];
  const growths = available.filter((name) => name.startsWith('growth-'));
  return [...new Set([...named, ...growths])].filter((name) => available.includes(name));
}

/** Keeps what a benchmark found, and draws the page again, so that a long report loses nothing. */
export class Report {
  readonly #measurements: Measurements = readMeasurements();
  readonly #growths: Growth[];

  constructor(benchmarks: Benchmark[]) {
    this.#growths = benchmarks.filter((benchmark) => 'sample' in benchmark);
  }

  /** @param measure runs the benchmark */
  async add(
    name: string,
    postgres: Postgres,
    measure: () => Promise<Pick<Measurements[string], 'findings' | 'samples'>>,
  ): Promise<void> {
    const around = await circumstances(postgres);
    this.#measurements[name] = { ...around, ...(await measure()) };
    writeMeasurements(this.#measurements);
    this.#draw();
  }

  #draw(): void {
    const page = writePage(this.#measurements, this.#growths);
    writeFileSync(path.join(FOLDER, '../performance.md'), page);
    const growth = writeGrowthPage(this.#measurements, this.#growths);
    writeFileSync(path.join(FOLDER, 'growth.md'), growth);
  }
}
