import { createWriteStream } from 'node:fs';
import path from 'node:path';
import { pipeline } from 'node:stream/promises';
import { countLines, Meter } from '../../platform/archives/blocks.ts';
import type { TableFacts } from './manifest.ts';
import type { Running } from './running.ts';

/** Writes lines of rows to a file in the folder. */
export async function writeRows(
  { folder, advance }: Pick<Running, 'folder' | 'advance'>,
  name: string,
  chunks: AsyncIterable<Buffer>,
): Promise<Omit<TableFacts, 'name' | 'columns'>> {
  const meter = new Meter();
  let rows = 0;
  const counted = async function* () {
    for await (const chunk of meter.through(chunks)) {
      const lines = countLines(chunk);
      rows += lines;
      yield chunk;
      await advance({ rows: lines });
    }
  };
  await pipeline(counted, createWriteStream(path.join(folder, name), { mode: 0o600 }));
  return { rows, size: meter.size, sha256: meter.digest() };
}
