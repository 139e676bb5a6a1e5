import type { Growth, Sample } from '../harness/benchmark.ts';

/** The samples of one line of a table, by size. */
export interface Line {
  table: string;
  label: string;
  unit: string;
  samples: Sample[];
}

export const linesOf = (samples: Sample[]): Line[] =>
  [...Map.groupBy(samples, ({ table, line, unit }) => `${table}\n${line}\n${unit}`).values()].map(
    (group) => {
      const [{ table, line: label, unit }] = group as [Sample, ...Sample[]];
      return { table, label, unit, samples: group.toSorted((a, b) => a.size - b.size) };
    },
  );

/** How many times the cost at the largest size is the cost at the smallest. */
export function factorOf({ samples }: Line): number {
  return (samples.at(-1)?.median ?? 0) / (samples[0]?.median ?? 1);
}

/**
 * Whether a cost grows at most like the number of digits of the size, as the depth of an index does.
 */
export function isLogarithmic(line: Line): boolean {
  const [first, last] = [line.samples[0]?.size ?? 1, line.samples.at(-1)?.size ?? 1];
  return factorOf(line) <= (1 + Math.log10(last)) / (1 + Math.log10(first));
}

/** The reason why a line grows faster; undefined if it does not, or nobody has given one. */
export const reasonFor = ({ reasons }: Pick<Growth, 'reasons'>, line: Line): string | undefined =>
  isLogarithmic(line) ? undefined : reasons?.[line.label];

const digits = (value: number): string => value.toFixed(value < 10 ? 2 : value < 100 ? 1 : 0);

export function printLines(growth: Growth, samples: Sample[]): void {
  for (const [table, lines] of Map.groupBy(linesOf(samples), (line) => line.table)) {
    console.log(`  ${table}, by the number of ${growth.sizeOf}; median (95th percentile)`);
    for (const line of lines) {
      const costs = line.samples.map(
        ({ size, median, p95 }) =>
          `${size.toLocaleString('en')}: ${digits(median)}${p95 === undefined ? '' : ` (${digits(p95)})`}`,
      );
      const reason = reasonFor(growth, line) ?? 'without a reason';
      const verdict = isLogarithmic(line) ? '' : `   FASTER THAN LOGARITHMIC: ${reason}`;
      console.log(
        `    ${line.label.padEnd(30)} ${costs.join('  ')} ${line.unit}, times ${factorOf(line).toFixed(2)}${verdict}`,
      );
    }
  }
}
