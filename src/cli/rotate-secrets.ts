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
import { isPlainUrl } from '../platform/sealed-urls.ts';
import { type SealedColumn, Secrets } from '../platform/secrets.ts';
import { StartError } from '../platform/start-error.ts';
import { withOwnDatabase } from './with-database.ts';

/**
 * Every column with stored secrets. The stored responses of idempotent calls are excluded: they
 * expire within 24 hours, and the previous key must be kept for user tokens longer than that.
 */
export const SEALED_COLUMNS: readonly SealedColumn[] = [
  SEALED_AUTH_TOKEN,
  ...SEALED_SETTINGS,
  SEALED_PROVIDER_KEY,
  ...SEALED_WEBHOOK_SECRETS,
  SEALED_SENTINEL,
];

/** Rows in one batch. */
const STEP = 500;

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
    const pass = await resealOnce(db, secrets, column);
    resealed += pass.resealed;
    // A process with the previous key may have encrypted further rows in the meantime.
    if (pass.resealed === 0) return { resealed, unreadable: pass.unreadable };
  }
}

async function resealOnce(
  db: Queryable,
  secrets: Secrets,
  column: SealedColumn,
): Promise<ResealOutcome> {
  const outcome: ResealOutcome = { resealed: 0, unreadable: [] };
  let rows = await readStep(db, secrets, column, undefined);
  while (rows.length > 0) {
    for (const row of rows) {
      if (await resealRow(db, secrets, column, row)) outcome.resealed += 1;
      else outcome.unreadable.push(column.storageAddress(...row.key));
    }
    rows = await readStep(db, secrets, column, rows.at(-1)?.key);
  }
  return outcome;
}

/** Returns the next rows, ordered by key, that are not encrypted under the current key. */
async function readStep(
  db: Queryable,
  secrets: Secrets,
  { table, key, ...sealed }: SealedColumn,
  after: Key | undefined,
): Promise<SealedRow[]> {
  const keyColumns = raw(key.join(', '));
  const rows = await db.query<Record<string, string | Buffer>>(sql`
    SELECT ${keyColumns}, ${storedSecret(sealed)} AS sealed FROM ${raw(table)} /* all tenants */
    WHERE ${storedSecret(sealed)} <> '' AND NOT starts_with(${storedSecret(sealed)}, ${secrets.currentPrefix})
      ${after ? sql`AND (${keyColumns}) > (${join(after)})` : empty}
    ORDER BY ${keyColumns} LIMIT ${STEP}`);
  return rows.map((row) => ({
    key: key.map((name) => row[name] ?? ''),
    sealed: String(row.sealed),
  }));
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
  const secret = openSealed(secrets, column, row.sealed, address);
  if (secret === undefined) return false;
  const isRow = key.map((name, position) => sql`${raw(name)} = ${row.key[position]}`);
  await db.query(sql`
    UPDATE ${raw(table)} /* all tenants */
    SET ${raw(column.column)} = ${newValue(column, secrets.seal(secret, address))}
    WHERE ${join(isRow, ' AND ')} AND ${storedSecret(column)} = ${row.sealed}`);
  return true;
}

function openSealed(secrets: Secrets, column: SealedColumn, sealed: string, address: string) {
  if (column.mayBePlain && isPlainUrl(sealed)) return sealed;
  try {
    return secrets.open(sealed, address);
  } catch {
    return undefined;
  }
}

/** SQL for the stored secret. */
const storedSecret = ({ column, field }: Pick<SealedColumn, 'column' | 'field'>): Sql =>
  field ? sql`${raw(column)}->>${raw(`'${field}'`)}` : sql`${raw(column)}`;

/** SQL for the value of the column with a new secret. */
const newValue = ({ column, field }: SealedColumn, sealed: string): Sql =>
  field
    ? sql`jsonb_set(${raw(column)}, ARRAY[${field}::text], to_jsonb(${sealed}::text))`
    : sql`${sealed}`;

interface RotateOptions {
  /**
   * Confirms that secrets which no key decrypts are lost, so that the service starts under the
   * current key.
   */
  acceptLost?: boolean;
  /** Called with each line of the report. */
  print: (line: string) => void;
}

/** The number of secrets that were encrypted again, by column. */
export type Rotation = Record<string, number>;

/**
 * Encrypts every stored secret under a key of PREVIOUS_SECRET_KEYS again under SECRET_KEY. It may run
 * while the service does, and may be interrupted and repeated, since each row is changed
 * independently and only once.
 *
 * @throws StartError when secrets cannot be opened and are not given up
 */
export function rotateSecrets(config: Config, options: RotateOptions): Promise<Rotation> {
  const bytes = (key: string) => Buffer.from(key, 'base64');
  const secretKey = config.secretKey ?? generatedKey(config, options);
  const secrets = new Secrets(bytes(secretKey), config.previousSecretKeys.map(bytes));
  return withOwnDatabase(config, async (url) => {
    const log = createLogger(config.logLevel);
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

const nameOf = ({ table, column, field }: SealedColumn): string =>
  [table, column, ...(field ? [field] : [])].join('.');

async function rotate(
  db: Database,
  secrets: Secrets,
  { acceptLost, print }: RotateOptions,
): Promise<Rotation> {
  const rotation: Rotation = {};
  let unreadable = 0;
  for (const column of SEALED_COLUMNS) {
    const outcome = await resealColumn(db, secrets, column);
    rotation[nameOf(column)] = outcome.resealed;
    print(`${nameOf(column)}: ${outcome.resealed} sealed again`);
    for (const address of outcome.unreadable) print(`  cannot be opened: ${address}`);
    unreadable += outcome.unreadable.length;
  }
  if (unreadable === 0) {
    print('Every stored secret is under the current key.');
    return rotation;
  }
  if (acceptLost) {
    await replaceSentinel(db, secrets);
    print(
      `${unreadable} stored secrets are given up, and count as missing until they are set again.`,
    );
    return rotation;
  }
  throw new StartError(
    `${unreadable} stored secrets cannot be opened. Put the key that sealed them into ` +
      'PREVIOUS_SECRET_KEYS and run this again; or give them up with --accept-lost.',
  );
}
