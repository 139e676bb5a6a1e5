import { hash } from 'node:crypto';
import { NEWLINE } from '../../platform/archives/blocks.ts';

/** A fingerprint by which two sets of rows are compared. */
export interface RowFacts {
  rows: number;
  digest: string;
}

/**
 * Counts rows of PostgreSQL's text format, and adds up a hash of each, so that rows in another order
 * have the same digest: PostgreSQL promises no order, and sorting large tables takes long.
 *
 * @param onLines gets each block of rows, and may slow down the reading
 */
export async function factsOf(
  blocks: AsyncIterable<Buffer>,
  onLines: (lines: Buffer) => Promise<void> | void = () => {},
): Promise<RowFacts> {
  let rows = 0;
  let sum = 0n;
  for await (const lines of blocks) {
    let start = 0;
    for (let end = lines.indexOf(NEWLINE); end >= 0; end = lines.indexOf(NEWLINE, start)) {
      const row = hash('sha256', lines.subarray(start, end), 'buffer');
      sum = BigInt.asUintN(64, sum + row.readBigUInt64LE());
      rows += 1;
      start = end + 1;
    }
    await onLines(lines);
  }
  return { rows, digest: sum.toString(16).padStart(16, '0') };
}
