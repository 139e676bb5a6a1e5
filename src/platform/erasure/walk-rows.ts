import { empty, join, type Sql, sql, type Transaction } from '../database/database.ts';
import { type Erasure, type ErasureStep, STEP_ROWS } from './step.ts';

interface WalkedTable {
  name: string;
  /** The table with the alias `t`. */
  table: Sql;
  /** What is read beside it and locked with it, e.g. the annotation `a` that comments belong to. */
  joined?: Sql;
  /** The primary key behind the tenant, each column with its type. */
  key: Array<[column: Sql, type: Sql]>;
  /** SQL: `AND` it is of one of these organizations. Default: by the column `organization_id`. */
  inOrganizations?: (organizationIds: string[]) => Sql;
  /** What of a row may name people, as a JSON object. */
  record: Sql;
  /** How a row takes a `record` of this shape. Without it, the rows that are found are removed. */
  set?: (erasure: Erasure) => Sql;
  /** SQL: which rows are read at all. Default: those that have one of the users' ids in the record. */
  finds?: (erasure: Erasure, record: Sql) => Sql;
  /** What becomes of a record; nothing where it stays. Default: it loses the users. */
  rewrite?: (record: unknown, erasure: Erasure) => unknown;
  onlyRemoving?: true;
  /** Records that stay as they are, whomever they name. */
  keeps?: (record: unknown) => boolean;
  /** Run in the transaction before rows are changed. */
  before?: Sql;
  /** What follows from the change, in the same transaction. */
  after?: (erasure: Erasure, tx: Transaction, changed: ChangedRow[]) => Promise<void>;
}

interface ChangedRow extends Row {
  /** The record as it was. */
  before: unknown;
}

interface Row {
  key: string[];
  record: unknown;
}

/**
 * A step that takes users out of rows that are not their own. Where in the JSON they are named no
 * index knows, so the tenant's rows are gone through in the order of their primary key; the
 * database picks those that have an id in them at all, and only they are read.
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

const byColumn = (organizationIds: string[]) =>
  sql`AND t.organization_id = ANY(${organizationIds})`;

const columns = ({ key }: WalkedTable): Sql => join(key.map(([column]) => column));
const keyOf = ({ key }: WalkedTable): Sql =>
  sql`ARRAY[${join(key.map(([column]) => sql`${column}::text`))}]`;

/** SQL: `AND` the row stands there in the order of keys. */
function stands(walked: WalkedTable, operator: Sql, at: string[]): Sql {
  if (at.length === 0) return empty;
  const values = walked.key.map(([, type], index) => sql`${at[index]}::${type}`);
  return sql`AND (${columns(walked)}) ${operator} (${join(values)})`;
}

/** How far the next rows reach: only their keys are read. */
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

/** In the order of keys, so that two who lock rows cannot wait for each other. */
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
