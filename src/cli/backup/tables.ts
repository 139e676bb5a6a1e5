import { type Client, escapeIdentifier } from 'pg';
import { to as copyTo } from 'pg-copy-streams';
import { blocksOf } from '../../platform/archives/blocks.ts';
import type { BackupTable } from './backup-file.ts';

/** The schema of the job queue. All else is in the schema that DATABASE_URL selects. */
const JOBS_SCHEMA = 'pgboss';
/** These tables hold the versions of the schemas. A restore fills them when it creates the schemas. */
const UNCOPIED_TABLES = new Set(['_prisma_migrations', 'pgboss.version']);

/** SQL for the name under which a backup stores a relation. */
const nameOf = (schema: string, relation: string) =>
  `CASE ${schema} WHEN current_schema() THEN ${relation} ELSE ${schema} || '.' || ${relation} END`;

/** Settings under which every database writes values in the same way. */
const TEXT_SETTINGS = `
  SET LOCAL statement_timeout = 0; SET LOCAL idle_in_transaction_session_timeout = 0;
  SET LOCAL timezone = 'UTC'; SET LOCAL datestyle = 'ISO, YMD';
  SET LOCAL intervalstyle = 'postgres'; SET LOCAL bytea_output = 'hex';
  SET LOCAL extra_float_digits = 3; SET LOCAL client_encoding = 'UTF8'`;

/** Begins a transaction that copies rows as text. Its reads see the database at one moment, with its own changes. */
export async function beginCopying(client: Client, mode: 'READ ONLY' | 'READ WRITE') {
  await client.query(`BEGIN ISOLATION LEVEL REPEATABLE READ, ${mode}`);
  await client.query(TEXT_SETTINGS);
}

/** Reads all rows of a table, in blocks of complete lines. */
export function copyRows(client: Client, table: BackupTable): AsyncIterable<Buffer> {
  const select = `SELECT ${columnList(table)} FROM ${quoted(table.table)}`;
  return blocksOf(client.query(copyTo(`COPY (${select}) TO STDOUT`)), 0);
}

/** Returns every table with its columns, each after the tables that it references. */
export async function listTables(client: Client): Promise<BackupTable[]> {
  const { rows } = await client.query<BackupTable>(`
    SELECT ${nameOf('nspname', 'relname')} AS "table", ARRAY(
      SELECT attname::text FROM pg_attribute
      WHERE attrelid = relation.oid AND attnum > 0 AND NOT attisdropped AND attgenerated = ''
      ORDER BY attnum) AS columns
    FROM pg_class AS relation JOIN pg_namespace AS schema ON schema.oid = relnamespace
    WHERE nspname IN (current_schema(), '${JOBS_SCHEMA}') AND relkind IN ('r', 'p') AND NOT relispartition
      -- Extensions fill their own tables.
      AND NOT EXISTS (SELECT FROM pg_depend
        WHERE classid = 'pg_class'::regclass AND objid = relation.oid AND deptype = 'e')
    ORDER BY 1`);
  const references = await listReferences(client);
  let rest = rows.filter(({ table }) => !UNCOPIED_TABLES.has(table));
  const ordered: BackupTable[] = [];
  while (rest.length > 0) {
    const waiting = new Set(rest.map(({ table }) => table));
    const isReady = ({ table }: BackupTable) =>
      references.every(({ from, to }) => from !== table || !waiting.has(to));
    const ready = rest.filter(isReady);
    if (ready.length === 0) throw new Error('Tables reference each other in a circle.');
    ordered.push(...ready);
    rest = rest.filter((table) => !isReady(table));
  }
  return ordered;
}

async function listReferences(client: Client) {
  const { rows } = await client.query<{ from: string; to: string }>(`
    SELECT DISTINCT ${nameOf('s.nspname', 'r.relname')} AS "from",
      ${nameOf('other_s.nspname', 'other_r.relname')} AS "to"
    FROM pg_constraint
    JOIN pg_class AS r ON r.oid = conrelid JOIN pg_namespace AS s ON s.oid = r.relnamespace
    JOIN pg_class AS other_r ON other_r.oid = confrelid
    JOIN pg_namespace AS other_s ON other_s.oid = other_r.relnamespace
    WHERE contype = 'f' AND conrelid <> confrelid AND NOT r.relispartition
      AND s.nspname IN (current_schema(), '${JOBS_SCHEMA}')`);
  return rows;
}

/** Returns the last values of the sequences; null for a sequence that was never used. */
export async function sequenceValues(client: Client): Promise<Map<string, string | null>> {
  const { rows } = await client.query<{ name: string; value: string | null }>(`
    SELECT ${nameOf('schemaname', 'sequencename')} AS name, last_value::text AS value
    FROM pg_sequences
    WHERE schemaname IN (current_schema(), '${JOBS_SCHEMA}') ORDER BY 1`);
  return new Map(rows.map(({ name, value }) => [name, value]));
}

/** Returns the version of the job queue's tables, or null if there are none. */
export async function jobTablesVersion(client: Client): Promise<number | null> {
  const { rows } = await client.query(`SELECT to_regclass('${JOBS_SCHEMA}.version') AS name`);
  if (rows[0]?.name === null) return null;
  const { rows: versions } = await client.query(`SELECT version FROM ${JOBS_SCHEMA}.version`);
  return versions[0]?.version ?? null;
}

/** SQL for a table that a backup names. */
export const quoted = (name: string) => name.split('.').map(escapeIdentifier).join('.');
export const columnList = ({ columns }: BackupTable) => columns.map(escapeIdentifier).join(', ');
