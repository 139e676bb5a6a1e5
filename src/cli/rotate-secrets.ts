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
   * Confirms that secrets which no key decrypts are lost, so that the service can start with the
   * current key.
   */
  acceptLost?: boolean;
  /** Called with each line of the report except the last. */
  print: (line: string) => void;
}

interface Rotation {
  /** The number of secrets that were encrypted again, by column. */
  reencrypted: Record<string, number>;
  /** The last sentence of the report. */
  text: string;
}

/**
 * Decrypts every stored secret with the key in PREVIOUS_SECRET_KEYS that encrypted it, and encrypts it with
 * SECRET_KEY. The service may be running, unless its database or its key is in DATA_DIR. The rotation may be
 * interrupted and repeated, since each row is changed independently and only once.
 *
 * @throws StartError when secrets cannot be decrypted and `acceptLost` is not set
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

/** Returns the key in DATA_DIR. With `acceptLost`, generates a missing key. Fails while a server uses DATA_DIR. */
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
  const reencrypted: Rotation['reencrypted'] = {};
  let lost = 0;
  for (const column of SEALED_COLUMNS) {
    const outcome = await reencryptColumn(db, secrets, column);
    reencrypted[nameOf(column)] = outcome.reencrypted;
    print(`${nameOf(column)}: ${outcome.reencrypted} encrypted again`);
    for (const address of outcome.unreadable) print(`  cannot be decrypted: ${address}`);
    lost += outcome.unreadable.length;
  }
  if (lost === 0)
    return { reencrypted, text: 'Every stored secret is encrypted with the current key.' };
  if (!acceptLost) {
    throw new StartError(
      `${lost} stored secrets cannot be decrypted. Add the key that encrypted them to PREVIOUS_SECRET_KEYS and run this again, or give them up with --accept-lost.`,
    );
  }
  await replaceSentinel(db, secrets);
  const text = `${lost} stored secrets are given up, and count as missing until they are set again.`;
  return { reencrypted, text };
}

const nameOf = ({ table, column, field }: SealedColumn): string =>
  [table, column, field].filter((part) => part !== undefined).join('.');

const BATCH_SIZE = 500;

/** The values of a row's primary key. */
type RowKey = Array<string | Buffer>;

interface EncryptedRow {
  key: RowKey;
  encrypted: string;
}

interface ColumnOutcome {
  reencrypted: number;
  /** The storage addresses of secrets that no key decrypts. */
  unreadable: string[];
}

/** Encrypts a column again, in passes, until a pass finds nothing to change. */
export async function reencryptColumn(
  db: Queryable,
  secrets: Secrets,
  column: SealedColumn,
): Promise<ColumnOutcome> {
  let reencrypted = 0;
  for (;;) {
    const unreadable: string[] = [];
    const before = reencrypted;
    for await (const row of rowsToReencrypt(db, secrets, column)) {
      if (await reencryptRow(db, secrets, column, row)) reencrypted += 1;
      else unreadable.push(column.storageAddress(...row.key));
    }
    // A process with the previous key may have encrypted further rows in the meantime.
    if (reencrypted === before) return { reencrypted, unreadable };
  }
}

/** Yields the rows, ordered by key, that are not encrypted with the current key. */
async function* rowsToReencrypt(
  db: Queryable,
  secrets: Secrets,
  { table, key, ...location }: SealedColumn,
): AsyncGenerator<EncryptedRow> {
  const keyColumns = raw(key.join(', '));
  const stored = storedSecret(location);
  let after: RowKey | undefined;
  for (;;) {
    const rows = await db.query<Record<string, string | Buffer>>(sql`
      SELECT ${keyColumns}, ${stored} AS encrypted FROM ${raw(table)} /* all tenants */
      WHERE ${stored} <> '' AND NOT starts_with(${stored}, ${secrets.currentPrefix})
        ${after ? sql`AND (${keyColumns}) > (${join(after)})` : empty}
      ORDER BY ${keyColumns} LIMIT ${BATCH_SIZE}`);
    for (const row of rows) {
      after = key.map((name) => row[name] ?? '');
      yield { key: after, encrypted: String(row.encrypted) };
    }
    if (rows.length === 0) return;
  }
}

/**
 * Encrypts the secret of a row again. If the secret has changed since the row was read, the change is
 * kept, and the next pass checks it.
 *
 * @returns whether the secret could be decrypted
 */
async function reencryptRow(
  db: Queryable,
  secrets: Secrets,
  column: SealedColumn,
  row: EncryptedRow,
): Promise<boolean> {
  const { table, key } = column;
  const address = column.storageAddress(...row.key);
  let secret: string;
  try {
    secret = secrets.open(row.encrypted, address);
  } catch {
    return false;
  }
  const conditions = key.map((name, position) => sql`${raw(name)} = ${row.key[position]}`);
  await db.query(sql`
    UPDATE ${raw(table)} /* all tenants */
    SET ${raw(column.column)} = ${newValue(column, secrets.seal(secret, address))}
    WHERE ${join(conditions, ' AND ')} AND ${storedSecret(column)} = ${row.encrypted}`);
  return true;
}

const storedSecret = ({ column, field }: Pick<SealedColumn, 'column' | 'field'>): Sql =>
  field ? sql`${raw(column)}->>${raw(`'${field}'`)}` : sql`${raw(column)}`;

/** SQL for the value of the column with a new secret. */
const newValue = ({ column, field }: SealedColumn, encrypted: string): Sql =>
  field
    ? sql`jsonb_set(${raw(column)}, ARRAY[${field}::text], to_jsonb(${encrypted}::text))`
    : sql`${encrypted}`;
