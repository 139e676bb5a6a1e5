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
 * A benchmark is a `Comparison` (and a route of the baseline) or a `Measurement`. It is never a test: a missed
 * target is printed and fails nothing.
 *
 * Settings: BENCH_ROUNDS (7), BENCH_SECONDS of a round (2), BENCH_DATABASE_URL (default: embedded
 * PostgreSQL), SOAK_MINUTES (10), BENCH_PROFILE_DIR (CPU profiles of both servers go there), BENCH_TEXTS (the
 * folder of labelled texts for memory, see memory/labelled-texts.ts), BENCH_SETS ("CLINC150": only those sets).
 */

import { endFile } from '../support/when-file-ends.ts';
import { comparisons } from './benchmarks/comparisons.ts';
import { crdtUpdateLatency } from './benchmarks/crdt-update-latency.ts';
import { deliveries } from './benchmarks/deliveries.ts';
import { deliveriesLatency } from './benchmarks/deliveries-latency.ts';
import { documentMemory } from './benchmarks/document-memory.ts';
import { installSize } from './benchmarks/install-size.ts';
import { memory } from './benchmarks/memory.ts';
import { soak } from './benchmarks/soak.ts';
import { start } from './benchmarks/start.ts';
import type { Finding, Measurement } from './harness/benchmark.ts';
import { compare } from './harness/compare.ts';
import { type Postgres, startPostgres } from './harness/databases.ts';
import { addToReport, REPORTED } from './report/report.ts';

const benchmarks: Measurement[] = [
  ...comparisons.map((comparison) => ({
    name: comparison.name,
    measure: (postgres: Postgres) => compare(comparison, postgres),
  })),
  ...[crdtUpdateLatency, deliveries, deliveriesLatency, documentMemory],
  ...[start, installSize, soak, memory],
];

function print(findings: Finding[]): void {
  for (const { label, value, target, met } of findings) {
    const verdict = target === undefined ? '' : `   target ${target}: ${met ? 'met' : 'MISSED'}`;
    console.log(`  ${label.padEnd(28)} ${value}${verdict}`);
  }
}

async function main(given: string[]): Promise<void> {
  const isReport = given[0] === 'report';
  const named = isReport ? given.slice(1) : given;
  const all = benchmarks.filter(({ name }) => !isReport || REPORTED.has(name));
  const names = all.map(({ name }) => name);
  const unknown = named.filter((name) => !names.includes(name));
  if (unknown.length > 0) {
    console.error(`No benchmark ${unknown.join(', ')}; there are ${names.join(', ')}.`);
    return;
  }
  const postgres = await startPostgres();
  try {
    for (const { name, measure } of all) {
      if (named.length > 0 && !named.includes(name)) continue;
      console.log(`\n${name}`);
      const findings = measure(postgres);
      await (isReport ? addToReport(name, postgres, findings) : findings).then(
        print,
        console.error,
      );
      await endFile();
    }
  } finally {
    await postgres.stop();
  }
}

await main(process.argv.slice(2));
