import { empty, join, type Sql, sql, type Transaction } from '../database/database.ts';
import { type Erasure, type ErasureStep, STEP_ROWS } from './step.ts';

interface WalkedTable {
  name: string;
  /** The table with the alias `t`. */
  table: Sql;
  /** Further tables that are joined and locked, e.g. the annotation `a` of comments. */
  joined?: Sql;
  /** The columns of the primary key after the tenant, with their types. */
  key: Array<[column: Sql, type: Sql]>;
  /** SQL: `AND` it is of one of these organizations. Default: by the column `organization_id`. */
  inOrganizations?: (organizationIds: string[]) => Sql;
  /** The part of a row that may name people, as a JSON object. */
  record: Sql;
  /** SQL that stores a changed `record` in the row. Without it, the rows found are deleted. */
  set?: (erasure: Erasure) => Sql;
  /**
   * SQL that selects the rows to read. Default: rows whose record contains one of the users' ids.
   */
  finds?: (erasure: Erasure, record: Sql) => Sql;
  /** Returns the changed record; undefined if it stays. Default: the record without the users. */
  rewrite?: (record: unknown, erasure: Erasure) => unknown;
  onlyRemoving?: true;
  /** Whether a record is never changed, even if it names a user. */
  keeps?: (record: unknown) => boolean;
  /** Runs in the transaction before rows are changed. */
  before?: Sql;
  /** Runs in the transaction after rows were changed. */
  after?: (erasure: Erasure, tx: Transaction, changed: ChangedRow[]) => Promise<void>;
}

interface ChangedRow extends Row {
  /** The record before the change. */
  before: unknown;
}

interface Row {
  key: string[];
  record: unknown;
}

/**
 * Creates a step that removes users from rows of others. No index knows where JSON names a user, so
 * the step walks the tenant's rows in the order of their primary key. The database selects the rows
 * that contain an id, and only these are read.
 */
export const walkRows = (walked: WalkedTable): ErasureStep => ({
  name: walked.name,
  ...(walked.onlyRemoving && { onlyRemoving: true }),
  async run(erasure, tx, after) {
    const part = await readPart(erasure, tx, walked, after);
    if (!part) return { counts: { [walked.name]: 0 }, next: undefined };
    const rows = await lockRows(erasure, tx, walked, { after, upTo: part.last });
    const changed = rows.flatMap(({ key, record }) => {
      if (walked.keeps?.(record)) return [];
      const { rewrite = (named: unknown) => erasure.anonymiser.without(named) } = walked;
      const rewritten = walked.set ? rewrite(record, erasure) : record;
      return rewritten === undefined ? [] : [{ key, record: rewritten, before: record }];
    });
    await writeRows(erasure, tx, walked, changed);
    return {
      counts: { [walked.name]: changed.length },
      next: part.count === STEP_ROWS ? part.last : undefined,
    };
  },
});

/** Creates a step for metadata of the table, which may name users, e.g. as the owner. */
export const walkMetadata = (
  walked: Pick<WalkedTable, 'name' | 'table' | 'key' | 'inOrganizations'>,
): ErasureStep =>
  walkRows({
    ...walked,
    record: sql`json_build_object('metadata', t.metadata)`,
    set: () => sql`metadata = (record->'metadata')::jsonb`,
  });

const byColumn = (organizationIds: string[]) =>
  sql`AND t.organization_id = ANY(${organizationIds})`;

const columns = ({ key }: WalkedTable): Sql => join(key.map(([column]) => column));
const keyOf = ({ key }: WalkedTable): Sql =>
  sql`ARRAY[${join(key.map(([column]) => sql`${column}::text`))}]`;

/** SQL: `AND` the row is at this position in the order of keys. */
function stands(walked: WalkedTable, operator: Sql, at: string[]): Sql {
  if (at.length === 0) return empty;
  const values = walked.key.map(([, type], index) => sql`${at[index]}::${type}`);
  return sql`AND (${columns(walked)}) ${operator} (${join(values)})`;
}

/** Reads only the keys of the next rows, to find the end of the step. */
async function readPart(
  { tenantId }: Erasure,
  tx: Transaction,
  walked: WalkedTable,
  after: string[],
): Promise<{ last: string[]; count: number } | undefined> {
  const [part] = await tx.query<{ last: string[]; count: number }>(sql`
    WITH part AS (
      SELECT ${keyOf(walked)} AS key, row_number() OVER (ORDER BY ${columns(walked)})::int AS count
      FROM ${walked.table}
      WHERE t.tenant_id = ${tenantId} ${stands(walked, sql`>`, after)}
      ORDER BY ${columns(walked)} LIMIT ${STEP_ROWS}
    )
    SELECT key AS last, count FROM part ORDER BY count DESC LIMIT 1`);
  return part;
}

/** Locking in the order of keys prevents deadlocks. */
function lockRows(
  erasure: Erasure,
  tx: Transaction,
  walked: WalkedTable,
  { after, upTo }: { after: string[]; upTo: string[] },
): Promise<Row[]> {
  const { tenantId, organizationIds } = erasure;
  const { inOrganizations = byColumn, finds = namesThem } = walked;
  const inScope = organizationIds ? inOrganizations(organizationIds) : empty;
  return tx.query<Row>(sql`
    SELECT ${keyOf(walked)} AS key, ${walked.record} AS record
    FROM ${walked.table} ${walked.joined ?? empty}
    WHERE t.tenant_id = ${tenantId}
      ${stands(walked, sql`>`, after)} ${stands(walked, sql`<=`, upTo)} ${inScope}
      AND ${finds(erasure, walked.record)}
    ORDER BY ${columns(walked)} FOR UPDATE`);
}

const namesThem = ({ anonymiser }: Erasure, record: Sql) => sql`EXISTS (
  SELECT 1 FROM unnest(${anonymiser.needles}::text[]) AS needle
  WHERE position(needle IN ${record}::text) > 0)`;

async function writeRows(
  erasure: Erasure,
  tx: Transaction,
  walked: WalkedTable,
  changed: ChangedRow[],
): Promise<void> {
  if (changed.length === 0) return;
  const rows = changed.map(({ key, record }) => ({ key, record }));
  if (walked.before) await tx.query(walked.before);
  const isRow = walked.key.map(
    ([column, type], index) => sql`${column} = (changed.key->>${index}::int)::${type}`,
  );
  const rewritten = sql`
    json_to_recordset(${JSON.stringify(rows)}::json) AS changed(key json, record json)`;
  const write = walked.set
    ? sql`UPDATE ${walked.table} SET ${walked.set(erasure)} FROM ${rewritten}`
    : sql`DELETE FROM ${walked.table} USING ${rewritten}`;
  await tx.query(sql`
    ${write}
    WHERE t.tenant_id = ${erasure.tenantId} AND ${join(isRow, ' AND ')}`);
  await walked.after?.(erasure, tx, changed);
}
