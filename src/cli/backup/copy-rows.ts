import type { Client } from 'pg';
import { to as copyTo } from 'pg-copy-streams';
import type { ArchivedTable } from './archive.ts';
import { RowDigest, type RowFacts, wholeLines } from './lines.ts';
import { columnList, quoted } from './tables.ts';

/** Reads all rows of a table. `onLines` gets blocks of complete lines, and may slow the reading. */
export async function copyRows(
  client: Client,
  table: ArchivedTable,
  onLines: (lines: Buffer) => Promise<void> | void = () => {},
): Promise<RowFacts> {
  const select = `SELECT ${columnList(table)} FROM ${quoted(table.table)}`;
  const stream = client.query(copyTo(`COPY (${select}) TO STDOUT`));
  const digest = new RowDigest();
  for await (const lines of wholeLines(stream)) {
    digest.add(lines);
    await onLines(lines);
  }
  return digest.facts;
}
