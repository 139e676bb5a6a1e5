import { join, raw } from 'sql-template-tag';
import type { Config } from '../config.ts';
import { SEALED_AUTH_TOKEN } from '../features/api-keys/auth-tokens.ts';
import { SEALED_PROVIDER_KEY } from '../features/models/provider-keys.ts';
import { SEALED_SETTINGS } from '../features/settings/sealed-settings.ts';
import { SEALED_WEBHOOK_SECRETS } from '../features/webhooks/endpoints/secrets.ts';
import { openDataDirectory } from '../platform/data-directory.ts';
import { Database, empty, type Queryable, type Sql, sql } from '../platform/database/database.ts';
import { newKey, replaceSentinel, SEALED_SENTINEL } from '../platform/key-sentinel.ts';
import { createLogger } from '../platform/logging.ts';
import { type SealedColumn, Secrets } from '../platform/secrets.ts';
import { StartError } from '../platform/start-error.ts';
import { withExclusiveDatabase } from './with-database.ts';

/**
 * Every column with stored secrets. The stored responses of idempotent calls are excluded: they expire
 * within 24 hours, and operators keep the previous key for longer, since it verifies user tokens.
 */
export const SEALED_COLUMNS: readonly SealedColumn[] = [
  SEALED_AUTH_TOKEN,
  ...SEALED_SETTINGS,
  SEALED_PROVIDER_KEY,
  ...SEALED_WEBHOOK_SECRETS,
  SEALED_SENTINEL,
];

interface RotateOptions {
  /**
   * Confirms that secrets which no key decrypts are lost, so that the service starts under the
   * current key.
   */
  acceptLost?: boolean;
  /** Called with each line of the report except the last. */
  print: (line: string) => void;
}

interface Rotation {
  /** The number of secrets that were encrypted again, by column. */
  resealed: Record<string, number>;
  /** The last sentence of the report. */
  text: string;
}

/**
 * Decrypts every stored secret with the key of PREVIOUS_SECRET_KEYS that sealed it, and encrypts it with
 * SECRET_KEY. This may run while the service does, and may be interrupted and repeated, since each row is
 * changed independently and only once.
 *
 * @throws StartError when secrets cannot be opened and `acceptLost` is not set
 */
export function rotateSecrets(config: Config, options: RotateOptions): Promise<Rotation> {
  const bytes = (key: string) => Buffer.from(key, 'base64');
  const secretKey = config.secretKey ?? generatedKey(config, options);
  const secrets = new Secrets(bytes(secretKey), config.previousSecretKeys.map(bytes));
  return withExclusiveDatabase(config, async (url) => {
    const log = createLogger(config.logLevel, process.stderr);
    const db = new Database({ url, poolSize: config.databasePoolSize, log });
    try {
      return await rotate(db, secrets, options);
    } finally {
      await db.close();
    }
  });
}

/** Returns the key that the service generated in DATA_DIR, which no running server may use. */
function generatedKey({ dataDir: path }: Config, { acceptLost }: RotateOptions): string {
  const dataDir = openDataDirectory(path);
  try {
    const key = dataDir.secret('secret-key', () => {
      if (acceptLost) return newKey();
      throw new StartError('There is no key yet: set SECRET_KEY, or start the service first.');
    });
    return key.value;
  } finally {
    dataDir.release();
  }
}

async function rotate(
  db: Database,
  secrets: Secrets,
  { acceptLost, print }: RotateOptions,
): Promise<Rotation> {
  const resealed: Rotation['resealed'] = {};
  let lost = 0;
  for (const column of SEALED_COLUMNS) {
    const outcome = await resealColumn(db, secrets, column);
    resealed[nameOf(column)] = outcome.resealed;
    print(`${nameOf(column)}: ${outcome.resealed} sealed again`);
    for (const address of outcome.unreadable) print(`  cannot be opened: ${address}`);
    lost += outcome.unreadable.length;
  }
  if (lost === 0) return { resealed, text: 'Every stored secret is under the current key.' };
  if (!acceptLost) {
    throw new StartError(
      `${lost} stored secrets cannot be opened. Put the key that sealed them into PREVIOUS_SECRET_KEYS and run this again; or give them up with --accept-lost.`,
    );
  }
  await replaceSentinel(db, secrets);
  const text = `${lost} stored secrets are given up, and count as missing until they are set again.`;
  return { resealed, text };
}

const nameOf = ({ table, column, field }: SealedColumn): string =>
  [table, column, field].filter((part) => part !== undefined).join('.');

const BATCH_SIZE = 500;

type Key = Array<string | Buffer>;

interface SealedRow {
  key: Key;
  sealed: string;
}

interface ResealOutcome {
  resealed: number;
  /** The storage addresses of secrets that no key decrypts. */
  unreadable: string[];
}

/** Encrypts a column again, in passes, until a pass finds nothing to change. */
export async function resealColumn(
  db: Queryable,
  secrets: Secrets,
  column: SealedColumn,
): Promise<ResealOutcome> {
  let resealed = 0;
  for (;;) {
    const unreadable: string[] = [];
    const before = resealed;
    for await (const row of rowsToReseal(db, secrets, column)) {
      if (await resealRow(db, secrets, column, row)) resealed += 1;
      else unreadable.push(column.storageAddress(...row.key));
    }
    // A process with the previous key may have encrypted further rows in the meantime.
    if (resealed === before) return { resealed, unreadable };
  }
}

/** Yields the rows, ordered by key, that are not encrypted under the current key. */
async function* rowsToReseal(
  db: Queryable,
  secrets: Secrets,
  { table, key, ...sealed }: SealedColumn,
): AsyncGenerator<SealedRow> {
  const keyColumns = raw(key.join(', '));
  const stored = storedSecret(sealed);
  for (let after: Key | undefined; ; ) {
    const rows = await db.query<Record<string, string | Buffer>>(sql`
      SELECT ${keyColumns}, ${stored} AS sealed FROM ${raw(table)} /* all tenants */
      WHERE ${stored} <> '' AND NOT starts_with(${stored}, ${secrets.currentPrefix})
        ${after ? sql`AND (${keyColumns}) > (${join(after)})` : empty}
      ORDER BY ${keyColumns} LIMIT ${BATCH_SIZE}`);
    for (const row of rows) {
      after = key.map((name) => row[name] ?? '');
      yield { key: after, sealed: String(row.sealed) };
    }
    if (rows.length === 0) return;
  }
}

/**
 * @returns whether the secret could be decrypted. If it was changed since it was read, the change
 * is kept, and the next pass checks it.
 */
async function resealRow(
  db: Queryable,
  secrets: Secrets,
  column: SealedColumn,
  row: SealedRow,
): Promise<boolean> {
  const { table, key } = column;
  const address = column.storageAddress(...row.key);
  let secret: string;
  try {
    secret = secrets.open(row.sealed, address);
  } catch {
    return false;
  }
  const conditions = key.map((name, position) => sql`${raw(name)} = ${row.key[position]}`);
  await db.query(sql`
    UPDATE ${raw(table)} /* all tenants */
    SET ${raw(column.column)} = ${newValue(column, secrets.seal(secret, address))}
    WHERE ${join(conditions, ' AND ')} AND ${storedSecret(column)} = ${row.sealed}`);
  return true;
}

const storedSecret = ({ column, field }: Pick<SealedColumn, 'column' | 'field'>): Sql =>
  field ? sql`${raw(column)}->>${raw(`'${field}'`)}` : sql`${raw(column)}`;

/** SQL for the value of the column with a new secret. */
const newValue = ({ column, field }: SealedColumn, sealed: string): Sql =>
  field
    ? sql`jsonb_set(${raw(column)}, ARRAY[${field}::text], to_jsonb(${sealed}::text))`
    : sql`${sealed}`;
