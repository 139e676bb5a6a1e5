import { readFileSync, writeFileSync } from 'node:fs';
import { cpus, loadavg, release, totalmem, type } from 'node:os';
import path from 'node:path';
import { execute } from '../../support/global-setup.ts';
import type { Finding } from '../harness/benchmark.ts';
import type { Postgres } from '../harness/databases.ts';
import { GOALS, type Goal } from './goals.ts';

const PAGE = path.join(import.meta.dirname, '../../../docs/performance.md');
const FILE = path.join(import.meta.dirname, '../../../docs/performance/measurements.json');
const GIGABYTE = 1024 ** 3;
const SOAK = 'soak';

/** The names of the benchmarks of the page. */
export const REPORTED: ReadonlySet<string> = new Set(GOALS.map(({ benchmark }) => benchmark));

interface Circumstances {
  date: string;
  machine: string;
  /** Threads that wanted a core in the minute before: other work makes every time longer. */
  loadBefore: number;
}

/** The findings of each benchmark, with the machine and the time, by its name. */
type Measurements = Record<string, Circumstances & { findings: Finding[] }>;

/** Keeps what a benchmark found, and writes the page again, so that a long report loses nothing. */
export async function addToReport(
  name: string,
  postgres: Postgres,
  measuring: Promise<Finding[]>,
): Promise<Finding[]> {
  const around = await circumstances(postgres);
  const findings = await measuring;
  const measurements: Measurements = JSON.parse(readFileSync(FILE, 'utf8'));
  measurements[name] = { ...around, findings };
  const lines = Object.keys(measurements)
    .toSorted()
    .map((key) => `${JSON.stringify(key)}: ${JSON.stringify(measurements[key])}`);
  writeFileSync(FILE, `{\n${lines.join(',\n')}\n}\n`);
  writeFileSync(PAGE, pageOf(measurements));
  return findings;
}

async function circumstances({ adminUrl }: Postgres): Promise<Circumstances> {
  const loadBefore = loadavg()[0] ?? 0;
  const [postgres] = await execute(adminUrl, 'SHOW server_version');
  const cores = cpus();
  const machine = [
    `${cores.length} cores (${cores[0]?.model.trim()})`,
    `${Math.round(totalmem() / GIGABYTE)} GB`,
    `${type()} ${release()}`,
    `Node ${process.version}`,
    `PostgreSQL ${postgres.server_version}`,
  ].join(', ');
  return { date: new Date().toISOString().slice(0, 10), machine, loadBefore };
}

/** The page of goals, results and reasons, in Markdown. */
const pageOf = (measurements: Measurements): string => `# Performance

\`npm run bench -- report\` measures this page on the machine where it runs, and writes it;
\`npm run bench -- report start soak\` measures some of it again. No number is written by hand.

## Goals

A ratio compares with the same work written by hand, which checks the same credentials, writes the
same rows and sends the same answers; the two run in alternation.

${goalTable(measurements)}
${missed(measurements)}
## Ten minutes of mixed load

${soakTable(measurements)}

## Growth

A cost may grow like the number of digits of the size of what a call works on, and not faster: an
index grows by one level when its table grows a hundredfold or more. Tests count the rows that lists read.
[Costs by size](performance/growth.md) has the times that were measured once, and explains what grows faster.
`;

const table = (head: string[], rows: string[][]): string =>
  [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n');

const findingOf = (measurements: Measurements, { benchmark, label }: Goal): Finding | undefined =>
  measurements[benchmark]?.findings.find((finding) => finding.label === label);

function goalTable(measurements: Measurements): string {
  const rows = GOALS.map((goal) => {
    const finding = findingOf(measurements, goal);
    const verdict = finding?.target === undefined ? '' : finding.met ? 'met' : '**missed**';
    return [goal.what, finding?.target ?? '', finding?.value ?? 'not measured yet', verdict];
  });
  return `${table(['What', 'Goal', 'Measured', ''], rows)}\n\n${measuredOn(
    GOALS.flatMap(({ benchmark }) => measurements[benchmark] ?? []),
  )}`;
}

function missed(measurements: Measurements): string {
  const reasons = GOALS.filter((goal) => findingOf(measurements, goal)?.met === false).map(
    ({ what, why }) => `- ${what}: ${why ?? 'not explained yet.'}`,
  );
  return reasons.length === 0 ? '' : `\nWhat misses its goal, and why:\n\n${reasons.join('\n')}\n`;
}

function soakTable({ [SOAK]: measured }: Measurements): string {
  if (!measured) return 'Not measured yet.';
  const rows = measured.findings.map(({ label, value }) => [label, value]);
  return `${table(['', ''], rows)}\n\n${measuredOn([measured])}`;
}

/** Each set of circumstances once, since parts of the page may be measured at different times. */
function measuredOn(all: Circumstances[]): string {
  const groups = Map.groupBy(all, ({ date, machine }) => `${date} on ${machine}`);
  return [...groups]
    .map(([where, same]) => {
      const loads = same.map(({ loadBefore }) => loadBefore);
      const [least, most] = [Math.min(...loads).toFixed(1), Math.max(...loads).toFixed(1)];
      const load = least === most ? least : `${least} to ${most}`;
      return `Measured ${where}; load average before ${load}.`;
    })
    .join(' ');
}
