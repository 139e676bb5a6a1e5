import { factorOf, isLogarithmic, type Line, linesOf, reasonFor } from '../growth/lines.ts';
import type { Finding, Growth, Sample } from '../harness/benchmark.ts';
import { GOALS, type Goal, LISTED } from './goals.ts';
import type { Measured, Measurements } from './measurements.ts';

/** The page of goals, results and reasons, in Markdown. */
export function writePage(measurements: Measurements, growths: Growth[]): string {
  return `# Performance

\`npm run bench -- report\` measures this page on the machine where it runs, and writes it;
\`npm run bench -- report growth-users soak\` measures some of it again. No number is written by hand.

## Goals

A ratio compares with the same work written by hand, which checks the same credentials, writes the
same rows and sends the same answers; both run by turns.

${goalTable(measurements)}
${missed(measurements)}
${Object.entries(LISTED)
  .map(([name, title]) => listed(title, name, measurements))
  .join('\n')}
## Growth

A cost may grow like the number of digits of the size of what a call works on, and not faster: an
index grows by one level when its table grows a hundredfold or more. [All costs by size](performance/growth.md)
has the tables.

${fasterLines(measurements, growths)}`;
}

/** The tables of growth, in Markdown. */
export function writeGrowthPage(measurements: Measurements, growths: Growth[]): string {
  return `# Costs by size

The cost of an operation, by the size of what it works on. Each call is one of one caller, over
HTTP; a table shows the median and, in parentheses, the 95th percentile. [Performance](../performance.md)
says how they were measured, and explains what grows fast.

${growths.map((growth) => growthSection(growth, measurements[growth.name])).join('\n')}`;
}

const table = (head: string[], rows: string[][]): string =>
  [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n');

const findingOf = (measurements: Measurements, { benchmark, label }: Goal): Finding | undefined =>
  measurements[benchmark]?.findings?.find((finding) => finding.label === label);

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

function listed(title: string, name: string, measurements: Measurements): string {
  const measured = measurements[name];
  if (!measured?.findings) return `## ${title}\n\nNot measured yet.\n`;
  const rows = measured.findings.map(({ label, value }) => [label, value]);
  return `## ${title}\n\n${table(['', ''], rows)}\n\n${measuredOn([measured])}\n`;
}

/** All lines that grow too fast, each with its reason. */
function fasterLines(measurements: Measurements, growths: Growth[]): string {
  const items = growths.flatMap((growth) =>
    linesOf(measurements[growth.name]?.samples ?? [])
      .filter((line) => !isLogarithmic(line))
      .map((line) => {
        const times = factorOf(line).toFixed(1);
        const reason = reasonFor(growth, line) ?? 'not explained yet.';
        return `- ${line.table}, ${line.label}, ${times} times: ${reason}`;
      }),
  );
  return items.length === 0
    ? 'No measured line grows faster.\n'
    : `These lines grow faster:\n\n${items.join('\n')}\n`;
}

function growthSection(growth: Growth, measured: Measured | undefined): string {
  if (!measured?.samples) return '';
  return [...Map.groupBy(linesOf(measured.samples), ({ table }) => table)]
    .map(
      ([title, lines]) =>
        `## ${title}\n\n${growthTable(growth, lines)}\n\n${measuredOn([measured])}\n`,
    )
    .join('\n');
}

function growthTable({ sizeOf }: Growth, lines: Line[]): string {
  const sizes = [...new Set(lines.flatMap(({ samples }) => samples.map(({ size }) => size)))];
  const rows = lines.map((line) => [
    line.label,
    ...sizes.map((size) => costOf(line.samples.find((sample) => sample.size === size))),
    factorOf(line).toFixed(2),
  ]);
  const unit = lines[0]?.unit ?? '';
  const heads = sizes.map((size) => size.toLocaleString('en'));
  return table([`${unit}, by the number of ${sizeOf}`, ...heads, 'last to first'], rows);
}

function costOf(sample: Sample | undefined): string {
  if (!sample) return '';
  const { median, p95 } = sample;
  return p95 === undefined ? digits(median) : `${digits(median)} (${digits(p95)})`;
}

const digits = (value: number): string => value.toFixed(value < 10 ? 2 : value < 100 ? 1 : 0);

/** Each set of circumstances once, since parts of the page may be measured at different times. */
function measuredOn(all: Measured[]): string {
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
