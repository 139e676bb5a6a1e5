import { median, percentile, type Sample } from '../harness/benchmark.ts';

/** Runs of each point that are not counted: statements get their final plans during them. */
const WARM_UP = 12;
const MIN_RUNS = 15;
const MAX_RUNS = 60;
/** After this time, points are measured with the least number of runs. */
const MAX_MS = 60_000;

/** One line at one size, and the work whose time is measured. */
export interface Point {
  table: string;
  line: string;
  size: number;
  run(n: number): Promise<void>;
}

const labelOf = ({ table, line }: Point): string => `${table}, ${line}`;

/** All sizes of a line take turns, so that a slow minute of the machine slows all of them. */
export async function timeByTurns(points: Point[]): Promise<Sample[]> {
  const timed = [...Map.groupBy(points, labelOf).values()]
    .flat()
    .map((point) => ({ point, times: [] as number[] }));
  const endAt = performance.now() + MAX_MS;
  for (let n = 0; n < WARM_UP + MAX_RUNS; n++) {
    if (n >= WARM_UP + MIN_RUNS && performance.now() > endAt) break;
    for (const { point, times } of timed) {
      const startedAt = performance.now();
      await point.run(n);
      times.push(performance.now() - startedAt);
    }
  }
  return timed.map(({ point: { table, line, size }, times }) => {
    const counted = times.slice(WARM_UP);
    return {
      table,
      line,
      size,
      unit: 'ms',
      median: median(counted),
      p95: percentile(counted, 0.95),
    };
  });
}
