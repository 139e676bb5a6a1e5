import { createWriteStream } from 'node:fs';
import path from 'node:path';
import { pipeline } from 'node:stream/promises';
import { Meter } from '../../platform/archives/blocks.ts';
import type { TableFacts } from './manifest.ts';
import type { Running } from './running.ts';

/** Writes lines of rows to a file in the folder. */
export async function writeRows(
  { folder, advance }: Pick<Running, 'folder' | 'advance'>,
  name: string,
  blocks: AsyncIterable<string[]>,
): Promise<Omit<TableFacts, 'name' | 'columns'>> {
  const meter = new Meter();
  let rows = 0;
  const lines = async function* () {
    for await (const block of blocks) {
      rows += block.length;
      const bytes = Buffer.from(`${block.join('\n')}\n`);
      meter.add(bytes);
      yield bytes;
      await advance({ rows: block.length });
    }
  };
  await pipeline(lines, createWriteStream(path.join(folder, name), { mode: 0o600 }));
  return { rows, size: meter.size, sha256: meter.digest() };
}
