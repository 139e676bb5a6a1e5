import { identifier } from '../database/columns.ts';
import { empty, join, raw, type Sql, sql, type Transaction } from '../database/database.ts';
import { type Erasure, type ErasureStep, STEP_ROWS } from './step.ts';

interface WalkedTable extends Pick<ErasureStep, 'name' | 'onlyWhenRemovingContents'> {
  /** The table with the alias `t`. */
  table: Sql;
  /** Further tables that are joined and locked, e.g. the annotation `a` of comments. */
  joined?: Sql;
  /** The column of the joined table that equals the first column of the key. */
  joinedKey?: Sql;
  /** The columns of the primary key after the tenant, with types other than text: `at::bigint`. */
  key: string[];
  /** SQL: `AND` and a condition for rows of these organizations. Default: by `organization_id`. */
  inOrganizations?: (organizationIds: string[]) => Sql;
  /**
   * The columns that may name people, by the names of their fields in the record. Columns with a type
   * other than text name it: `data::jsonb`.
   */
  columns?: Record<string, string>;
  /** SQL: the record. Default: an object of the columns. */
  record?: Sql;
  /**
   * SQL: the assignments that store the changed `record`. Default: those of `columns`. If a table has
   * neither, the rows that are found are deleted.
   */
  set?: (erasure: Erasure) => Sql;
  /** SQL: whether a row is read. Default: its record contains one of the users' ids. */
  condition?: (erasure: Erasure, record: Sql) => Sql;
  /** Returns the changed record; undefined if it does not change. Default: the record without the users. */
  rewrite?: (record: unknown, erasure: Erasure) => unknown;
  /** Runs in the transaction before rows are changed. */
  before?: Sql;
  /** Runs in the transaction after rows were changed. */
  after?: (erasure: Erasure, tx: Transaction, changed: Row[]) => Promise<void>;
}

interface Row {
  key: string[];
  record: unknown;
}

/** Parses the name of a column, and its type: `position::bigint`. */
function parseColumn(text: string): { column: Sql; type: Sql } {
  const [name = '', type = 'text'] = text.split('::');
  return { column: identifier(name), type: raw(type) };
}

/** The record of columns, and the assignments that store it. */
function recordOf(columns: Record<string, string>) {
  const fields = Object.entries(columns).map(([name, text]) => {
    return { ...parseColumn(text), name: raw(`'${name}'`), isText: !text.includes('::') };
  });
  const pairs = fields.map(({ name, column }) => sql`${name}, t.${column}`);
  const stored = fields.map(({ name, column, type, isText }) =>
    isText ? sql`${column} = record->>${name}` : sql`${column} = (record->${name})::${type}`,
  );
  return { record: sql`json_build_object(${join(pairs)})`, set: () => join(stored) };
}

/** A table whose record is set: its own, or else an object of its columns. */
type TableWithRecord = WalkedTable & { record: Sql };

/**
 * Creates a step that removes users from other users' rows, or deletes the rows that it finds. No
 * index knows where JSON names a user, so the step walks the tenant's rows in the order of their
 * primary key. The database selects the rows that contain a user's id, and only these are read.
 */
export function walkRows(table: WalkedTable): ErasureStep {
  const walked: TableWithRecord = {
    record: sql`'{}'::json`,
    ...(table.columns && recordOf(table.columns)),
    ...table,
  };
  const { name, set, onlyWhenRemovingContents, rewrite = withoutUsers } = walked;
  return {
    name,
    onlyWhenRemovingContents,
    async run(erasure, tx, after) {
      const chunk = await readChunk(erasure, tx, walked, after);
      if (!chunk) return { counts: { [name]: 0 }, next: undefined };
      const rows = await lockRows(erasure, tx, walked, { after, upTo: chunk.last });
      const changed = rows.flatMap(({ key, record }) => {
        const rewritten = set ? rewrite(record, erasure) : record;
        return rewritten === undefined ? [] : [{ key, record: rewritten }];
      });
      await writeRows(erasure, tx, walked, changed);
      return {
        counts: { [name]: changed.length },
        next: chunk.count === STEP_ROWS ? chunk.last : undefined,
      };
    },
  };
}

const withoutUsers = (record: unknown, { anonymiser }: Erasure) => anonymiser.anonymise(record);

const byColumn = (organizationIds: string[]) =>
  sql`AND t.organization_id = ANY(${organizationIds})`;

const keyColumns = ({ key }: TableWithRecord): Sql =>
  join(key.map((text) => sql`t.${parseColumn(text).column}`));
const keyOf = ({ key }: TableWithRecord): Sql =>
  sql`ARRAY[${join(key.map((text) => sql`t.${parseColumn(text).column}::text`))}]`;

/** SQL: `AND` and the comparison of the row's key with `key` by `operator`; empty for an empty key. */
function andKey(walked: TableWithRecord, operator: Sql, key: string[]): Sql {
  if (key.length === 0) return empty;
  const values = walked.key.map((text, index) => sql`${key[index]}::${parseColumn(text).type}`);
  return sql`AND (${keyColumns(walked)}) ${operator} (${join(values)})`;
}

/**
 * SQL: the same comparison for the first column of the key in the joined table. PostgreSQL does not
 * infer it from the equality of both columns. Without it, each step could read that table from its start.
 */
function andJoinedKey({ joinedKey, key }: TableWithRecord, operator: Sql, [first]: string[]): Sql {
  if (!joinedKey || first === undefined) return empty;
  return sql`AND ${joinedKey} ${operator} ${first}::${parseColumn(key[0] ?? '').type}`;
}

/** Finds the last key of the next rows, and counts these rows. */
async function readChunk(
  { tenantId }: Erasure,
  tx: Transaction,
  walked: TableWithRecord,
  after: string[],
): Promise<{ last: string[]; count: number } | undefined> {
  const [chunk] = await tx.query<{ last: string[]; count: number }>(sql`
    WITH chunk AS (
      SELECT ${keyOf(walked)} AS key, row_number() OVER (ORDER BY ${keyColumns(walked)})::int AS count
      FROM ${walked.table}
      WHERE t.tenant_id = ${tenantId} ${andKey(walked, sql`>`, after)}
      ORDER BY ${keyColumns(walked)} LIMIT ${STEP_ROWS}
    )
    SELECT key AS last, count FROM chunk ORDER BY count DESC LIMIT 1`);
  return chunk;
}

/** Reads rows, and locks them in the order of their keys, which prevents deadlocks. */
function lockRows(
  erasure: Erasure,
  tx: Transaction,
  walked: TableWithRecord,
  { after, upTo }: { after: string[]; upTo: string[] },
): Promise<Row[]> {
  const { tenantId, organizationIds } = erasure;
  const { inOrganizations = byColumn, condition = containsUserId } = walked;
  const inScope = organizationIds ? inOrganizations(organizationIds) : empty;
  return tx.query<Row>(sql`
    SELECT ${keyOf(walked)} AS key, ${walked.record} AS record
    FROM ${walked.table} ${walked.joined ?? empty}
    WHERE t.tenant_id = ${tenantId}
      ${andKey(walked, sql`>`, after)} ${andKey(walked, sql`<=`, upTo)} ${inScope}
      ${andJoinedKey(walked, sql`>=`, after)} ${andJoinedKey(walked, sql`<=`, upTo)}
      AND ${condition(erasure, walked.record)}
    ORDER BY ${keyColumns(walked)} FOR UPDATE`);
}

const containsUserId = ({ anonymiser }: Erasure, record: Sql) => sql`EXISTS (
  SELECT 1 FROM unnest(${anonymiser.needles}::text[]) AS needle
  WHERE position(needle IN ${record}::text) > 0)`;

async function writeRows(
  erasure: Erasure,
  tx: Transaction,
  walked: TableWithRecord,
  changed: Row[],
) {
  if (changed.length === 0) return;
  if (walked.before) await tx.query(walked.before);
  const isRow = walked.key.map((text, index) => {
    const { column, type } = parseColumn(text);
    return sql`t.${column} = (changed.key->>${index}::int)::${type}`;
  });
  const rewritten = sql`
    json_to_recordset(${JSON.stringify(changed)}::json) AS changed(key json, record json)`;
  const write = walked.set
    ? sql`UPDATE ${walked.table} SET ${walked.set(erasure)} FROM ${rewritten}`
    : sql`DELETE FROM ${walked.table} USING ${rewritten}`;
  await tx.query(sql`
    ${write}
    WHERE t.tenant_id = ${erasure.tenantId} AND ${join(isRow, ' AND ')}`);
  await walked.after?.(erasure, tx, changed);
}
