/**
 * Benchmarks: what our abstractions cost, measured against the same work written by hand.
 *
 *     npm run bench                        all of them; memory-speed fills a database for ten minutes
 *     npm run bench documents-get start    some of them
 *
 * A comparison runs our real server (`src/main.ts`, as in production, logging to nowhere) beside a
 * baseline (`baseline/server.ts`): bare Fastify and `pg` with prepared statements, which looks up
 * the same credentials, reads and writes the same rows and answers the same JSON; the answers are
 * compared before the clock runs. Each server has its own copy of one prepared database, since our
 * server would put the baseline's events in order too. A third process sends the load over 16
 * kept-alive connections, to one server and then the other in short rounds: a noisy machine is
 * noisy for both, so the RATIO of neighbouring rounds is the figure that counts, not requests/s.
 *
 * A benchmark is a file in `benchmarks/`, named like it, whose default export is a `Comparison`
 * (and a route of the baseline) or a `Measurement`. It is never a test: a missed target is printed
 * and fails nothing.
 *
 * Settings: BENCH_ROUNDS (7), BENCH_SECONDS of a round (2), BENCH_DATABASE_URL (default: embedded
 * PostgreSQL), BENCH_PROFILE_DIR (CPU profiles of both servers go there), BENCH_FLOODS (tenant-fairness
 * with some of its floods only: "events,idempotency waits").
 */
import { readdirSync } from 'node:fs';
import path from 'node:path';
import type { Benchmark } from './harness/benchmark.ts';
import { compare } from './harness/compare.ts';
import { type Postgres, startPostgres } from './harness/databases.ts';

const available = readdirSync(path.join(import.meta.dirname, 'benchmarks')).map(
  (file) => path.parse(file).name,
);

async function run(benchmark: Benchmark, postgres: Postgres): Promise<void> {
  console.log(`\n${benchmark.name}`);
  const findings =
    'request' in benchmark ? await compare(benchmark, postgres) : await benchmark.measure(postgres);
  for (const { label, value, target, met } of findings) {
    const verdict = target === undefined ? '' : `   target ${target}: ${met ? 'met' : 'MISSED'}`;
    console.log(`  ${label.padEnd(28)} ${value}${verdict}`);
  }
}

async function main(wanted: string[]): Promise<void> {
  const unknown = wanted.filter((name) => !available.includes(name));
  if (unknown.length > 0) {
    console.error(`No benchmark ${unknown.join(', ')}; there are ${available.join(', ')}.`);
    return;
  }
  const postgres = await startPostgres();
  try {
    for (const name of wanted.length > 0 ? wanted : available) {
      const module: { default: Benchmark } = await import(`./benchmarks/${name}.ts`);
      await run(module.default, postgres).catch(console.error);
    }
  } finally {
    await postgres.stop();
  }
}

await main(process.argv.slice(2));
