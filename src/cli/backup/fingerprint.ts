import { hash } from 'node:crypto';
import { NEWLINE } from '../../platform/archives/blocks.ts';

/** The number and checksum of a table's rows, by which two sets of rows are compared. */
export interface Fingerprint {
  rows: number;
  digest: string;
}

/**
 * Counts rows of PostgreSQL's text format, and adds up a hash of each, so that rows in another order
 * have the same digest: PostgreSQL promises no order, and sorting large tables takes long.
 */
export class Fingerprinter {
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

  get fingerprint(): Fingerprint {
    return { rows: this.#rows, digest: this.#sum.toString(16).padStart(16, '0') };
  }
}

export async function fingerprintOf(blocks: AsyncIterable<Buffer>): Promise<Fingerprint> {
  const fingerprinter = new Fingerprinter();
  for await (const lines of blocks) fingerprinter.add(lines);
  return fingerprinter.fingerprint;
}
