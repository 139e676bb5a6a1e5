import { hash } from 'node:crypto';

const NEWLINE = 10;

/** Splits a stream of bytes into blocks of complete lines. */
export async function* wholeLines(chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let rest: Buffer = Buffer.alloc(0);
  for await (const chunk of chunks) {
    const end = chunk.lastIndexOf(NEWLINE) + 1;
    if (end > 0) yield Buffer.concat([rest, chunk.subarray(0, end)]);
    rest = end > 0 ? Buffer.from(chunk.subarray(end)) : Buffer.concat([rest, chunk]);
  }
  if (rest.length > 0) throw new Error('The last line is not complete.');
}

/** A fingerprint by which two sets of rows are compared. */
export interface RowFacts {
  rows: number;
  digest: string;
}

/**
 * Counts rows, and adds up a hash of each, so that rows in another order have the same digest:
 * PostgreSQL promises no order, and sorting large tables takes long.
 */
export class RowDigest {
  #rows = 0;
  #sum = 0n;

  /** Adds rows: complete lines of PostgreSQL's text format. */
  add(lines: Buffer): void {
    let start = 0;
    for (;;) {
      const end = lines.indexOf(NEWLINE, start);
      if (end < 0) return;
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
