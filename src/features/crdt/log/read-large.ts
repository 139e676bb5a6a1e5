import { empty, type Queryable, type Sql, sql } from '../../../platform/database/database.ts';

/** The driver decodes a row of this size, from hexadecimal text, in a few milliseconds. */
const CHUNK_BYTES = 256 * 1024;

type Chunk<Row> = Row & { chunk: number; bytes: Buffer };

/**
 * Reads rows in chunks of their `bytes`, which may be megabytes, so that decoding never blocks the process.
 *
 * @param source a SELECT of `id`, `bytes` and other columns. It must build `bytes` with `||`, so that
 *   PostgreSQL keeps the value in memory. A stored column would be loaded again for each chunk.
 * @param columns the other columns to return, each with a comma after it.
 */
export async function readLarge<Row extends { id: string } = { id: string }>(
  db: Queryable,
  source: Sql,
  columns: Sql = empty,
): Promise<Array<Row & { bytes: Buffer }>> {
  const chunks = await db.query<Chunk<Row>>(sql`
    SELECT whole.id, ${columns} chunk,
           substring(whole.bytes FROM chunk * ${CHUNK_BYTES}::int + 1 FOR ${CHUNK_BYTES}::int) AS bytes
    FROM (${source} OFFSET 0) whole
    CROSS JOIN LATERAL generate_series(
      0, greatest(length(whole.bytes) - 1, 0) / ${CHUNK_BYTES}::int
    ) AS chunk`);
  const rows = Map.groupBy(chunks, ({ id }) => id).values();
  return [...rows].flatMap((ofRow) => {
    const ordered = ofRow.toSorted((one, other) => one.chunk - other.chunk);
    const [first, ...others] = ordered;
    if (!first || others.length === 0) return ordered;
    return { ...first, bytes: Buffer.concat(ordered.map(({ bytes }) => bytes)) };
  });
}
