/**
 * Benchmarks: what our abstractions cost, measured against the same work written by hand.
 *
 *     npm run bench                        all of them
 *     npm run bench documents-get start    some of them
 *     npm run bench report                 measures and writes docs/performance.md, in half an hour
 *     npm run bench report soak start      measures some of that page again
 *
 * A comparison runs our real server (`src/main.ts`, as in production, logging to nowhere) beside a
 * baseline (`baseline/server.ts`): bare Fastify and `pg` with prepared statements, which looks up
 * the same credentials, reads and writes the same rows and answers the same JSON; the answers are
 * compared before the clock runs. Each server has its own copy of one prepared database, since our
 * server would put the baseline's events in order too. A third process sends the load over 20
 * kept-alive connections, then over one, to one server and then the other in short rounds: a noisy machine is
 * noisy for both, so the RATIO of neighbouring rounds is the figure that counts, not requests/s.
 *
 * A benchmark is a file in `benchmarks/`, named like it, whose default export is a `Comparison`
 * (and a route of the baseline), a `Measurement`, or a `Growth`: a cost at several sizes. It is never
 * a test: a missed target is printed and fails nothing.
 *
 * Settings: BENCH_ROUNDS (7), BENCH_SECONDS of a round (2), BENCH_DATABASE_URL (default: embedded
 * PostgreSQL), BENCH_GROWTH_MAX (the largest size of a growth, 1,000,000), SOAK_MINUTES (10),
 * BENCH_PROFILE_DIR (CPU profiles of both servers go there), BENCH_FLOODS (tenant-fairness
 * with some of its floods only: "events,idempotency waits"), BENCH_TEXTS (the folder of labelled
 * texts for memory, see memory/labelled-texts.ts), BENCH_SETS ("CLINC150": only those sets).
 */
import { readdirSync } from 'node:fs';
import path from 'node:path';
import { printLines } from './growth/lines.ts';
import type { Benchmark, Finding, Sample } from './harness/benchmark.ts';
import { compare } from './harness/compare.ts';
import { type Postgres, startPostgres } from './harness/databases.ts';
import { Report, reportedAmong } from './report/report.ts';

const available = readdirSync(path.join(import.meta.dirname, 'benchmarks')).map(
  (file) => path.parse(file).name,
);

interface Measured {
  findings?: Finding[];
  samples?: Sample[];
}

async function run(benchmark: Benchmark, postgres: Postgres): Promise<Measured> {
  console.log(`\n${benchmark.name}`);
  if ('sample' in benchmark) {
    const samples = await benchmark.sample(postgres);
    printLines(benchmark, samples);
    return { samples };
  }
  const findings =
    'request' in benchmark ? await compare(benchmark, postgres) : await benchmark.measure(postgres);
  for (const { label, value, target, met } of findings) {
    const verdict = target === undefined ? '' : `   target ${target}: ${met ? 'met' : 'MISSED'}`;
    console.log(`  ${label.padEnd(28)} ${value}${verdict}`);
  }
  return { findings };
}

async function load(name: string): Promise<Benchmark> {
  const module: { default: Benchmark } = await import(`./benchmarks/${name}.ts`);
  return module.default;
}

async function main(given: string[]): Promise<void> {
  const isReport = given[0] === 'report';
  const named = isReport ? given.slice(1) : given;
  const all = isReport ? reportedAmong(available) : available;
  const unknown = named.filter((name) => !all.includes(name));
  if (unknown.length > 0) {
    console.error(`No benchmark ${unknown.join(', ')}; there are ${all.join(', ')}.`);
    return;
  }
  const report = isReport ? new Report(await Promise.all(all.map(load))) : undefined;
  const postgres = await startPostgres();
  try {
    for (const name of named.length > 0 ? named : all) {
      const measure = async () => run(await load(name), postgres);
      await (report?.add(name, postgres, measure) ?? measure()).catch(console.error);
    }
  } finally {
    await postgres.stop();
  }
}

await main(process.argv.slice(2));
