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
 */
export class RowCounter {
  #rows = 0;
  #sum = 0n;

  /** @param lines complete lines, each of which is a row */
  add(lines: Buffer): void {
    let start = 0;
    for (let end = lines.indexOf(NEWLINE); end >= 0; end = lines.indexOf(NEWLINE, start)) {
      const row = hash('sha256', lines.subarray(start, end), 'buffer');
      this.#sum = BigInt.asUintN(64, this.#sum + row.readBigUInt64LE());
      this.#rows += 1;
      start = end + 1;
    }
  }

  get facts(): RowFacts {
    return { rows: this.#rows, digest: this.#sum.toString(16).padStart(16, '0') };
  }
}

export async function factsOf(blocks: AsyncIterable<Buffer>): Promise<RowFacts> {
  const counter = new RowCounter();
  for await (const lines of blocks) counter.add(lines);
  return counter.facts;
}
