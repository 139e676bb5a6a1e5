import { empty, type Queryable, type Sql, sql } from '../../../platform/database/database.ts';

/** The driver decodes a row of this size, from hexadecimal text, in a few milliseconds. */
const PIECE_BYTES = 256 * 1024;

interface Identified {
  id: string;
}

type Piece<Row> = Row & { piece: number; bytes: Buffer };

/**
 * Reads rows whose `bytes` may take megabytes in pieces, so that decoding never blocks the process.
 *
 * @param source a SELECT of `id`, `bytes` and other columns. It must compute the bytes, by `||`: a
 *   column that is only read from a table would be read again for each piece.
 * @param columns the other columns to return, each with a comma after it.
 */
export async function readLarge<Row extends Identified = Identified>(
  db: Queryable,
  source: Sql,
  columns: Sql = empty,
): Promise<Array<Row & { bytes: Buffer }>> {
  const pieces = await db.query<Piece<Row>>(sql`
    SELECT whole.id, ${columns} piece,
           substring(whole.bytes FROM piece * ${PIECE_BYTES}::int + 1 FOR ${PIECE_BYTES}::int) AS bytes
    FROM (${source} OFFSET 0) whole
    CROSS JOIN LATERAL generate_series(
      0, greatest(length(whole.bytes) - 1, 0) / ${PIECE_BYTES}::int
    ) AS piece`);
  return [...Map.groupBy(pieces, ({ id }) => id).values()].flatMap(whole);
}

/** Joins the pieces of one row. */
function whole<Row>(pieces: Array<Piece<Row>>): Array<Row & { bytes: Buffer }> {
  const ordered = pieces.toSorted((one, other) => one.piece - other.piece);
  const [first] = ordered;
  const bytes =
    ordered.length === 1 ? first?.bytes : Buffer.concat(ordered.map((row) => row.bytes));
  return first && bytes ? [{ ...first, bytes }] : [];
}
