import { randomBytes } from 'node:crypto';
import { raw } from 'sql-template-tag';
import type { DataDirectory } from './data-directory.ts';
import { type Queryable, sql } from './database/database.ts';
import type { SealedColumn, Secrets } from './secrets.ts';
import { StartError } from './start-error.ts';

/**
 * One sealed row shows at the start of the process whether SECRET_KEY is the right one. Without it,
 * a wrong key would be noticed only later, by secrets that cannot be opened and tokens that fail.
 */
export const SEALED_SENTINEL: SealedColumn = {
  table: 'key_sentinel',
  column: 'sealed_text',
  key: ['id'],
  storageAddress: (id) => `key_sentinel/${id}`,
};

const ID = 'secret-key';
const PLACE = SEALED_SENTINEL.storageAddress(ID);
const TEXT = 'Sealed by SECRET_KEY.';
const IF_LOST = 'If it is lost for good, run: npm run secrets:rotate -- --accept-lost';

/** Sealed secrets that are checked in databases older than the sentinel. */
type OlderSecrets = SealedColumn;

/**
 * Returns the key in DATA_DIR, which the first start generates.
 *
 * @throws StartError when the file is missing, but the database has secrets that its key sealed
 */
export async function generatedKey(
  db: Queryable,
  dataDir: DataDirectory,
  older: OlderSecrets,
): Promise<string> {
  const isInUse = (await sealedSample(db, older)) !== undefined;
  return dataDir.secret('secret-key', () => {
    if (!isInUse) return newKey();
    throw new StartError(
      `SECRET_KEY is not set and ${dataDir.path}/secret-key is missing, but the database holds ` +
        `secrets that it sealed. Restore that file from a backup, or set SECRET_KEY. ${IF_LOST}`,
    );
  }).value;
}

export const newKey = (): string => randomBytes(32).toString('base64');

/** @throws StartError when no key of the ring decrypts the secrets in this database */
export async function requireSealingKey(
  db: Queryable,
  secrets: Secrets,
  older: OlderSecrets,
): Promise<void> {
  const sample = await sealedSample(db, older);
  if (!sample) return writeSentinel(db, secrets, older);
  if (!canOpen(secrets, sample)) {
    throw new StartError(
      "SECRET_KEY is not the key that sealed this database's secrets. Set SECRET_KEY to that key, " +
        `or list it in PREVIOUS_SECRET_KEYS. ${IF_LOST}`,
    );
  }
  if (sample.place !== PLACE) await replaceSentinel(db, secrets);
}

/**
 * Returns whether a key of the ring decrypts the secrets in this database, and undefined where there
 * are none. Changes nothing.
 */
export async function isSealingKey(
  db: Queryable,
  secrets: Secrets,
  older: OlderSecrets,
): Promise<boolean | undefined> {
  const sample = await sealedSample(db, older);
  return sample && canOpen(secrets, sample);
}

/** Encrypts the sentinel under the current key, which is then the expected one. */
export async function replaceSentinel(db: Queryable, secrets: Secrets): Promise<void> {
  await db.query(sql`
    INSERT INTO key_sentinel (id, sealed_text) VALUES (${ID}, ${secrets.seal(TEXT, PLACE)})
    ON CONFLICT (id) DO UPDATE SET sealed_text = excluded.sealed_text`);
}

/**
 * Writes the sentinel. Several processes may start on an empty database: one of them writes it, and
 * the others check it.
 */
async function writeSentinel(db: Queryable, secrets: Secrets, older: OlderSecrets): Promise<void> {
  const written = await db.query(sql`
    INSERT INTO key_sentinel (id, sealed_text) VALUES (${ID}, ${secrets.seal(TEXT, PLACE)})
    ON CONFLICT DO NOTHING RETURNING 1`);
  if (written.length === 0) await requireSealingKey(db, secrets, older);
}

interface Sealed {
  text: string;
  place: string;
}

/** Returns the sentinel, or else the newest secret of a database older than the sentinel. */
async function sealedSample(db: Queryable, older: OlderSecrets): Promise<Sealed | undefined> {
  const [sentinel] = await db.query<{ text: string }>(sql`
    SELECT sealed_text AS text FROM key_sentinel WHERE id = ${ID}`);
  if (sentinel) return { text: sentinel.text, place: PLACE };
  const { table, column, key, storageAddress } = older;
  const [row] = await db.query<Record<string, string | Buffer>>(sql`
    SELECT ${raw(key.join(', '))}, ${raw(column)} AS sealed FROM ${raw(table)} /* all tenants, background */
    ORDER BY created_at DESC LIMIT 1`);
  return (
    row && {
      text: String(row.sealed),
      place: storageAddress(...key.map((name) => row[name] ?? '')),
    }
  );
}

function canOpen(secrets: Secrets, { text, place }: Sealed): boolean {
  try {
    secrets.open(text, place);
    return true;
  } catch {
    return false;
  }
}
