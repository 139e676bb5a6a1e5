import { randomBytes } from 'node:crypto';
import type { DataDirectory } from './data-directory.ts';
import { type Queryable, sql } from './database/database.ts';
import type { SealedColumn, Secrets } from './secrets.ts';
import { StartError } from './start-error.ts';

/**
 * The column of the sentinel, an encrypted row that shows when the process starts whether SECRET_KEY is
 * right. Otherwise, this would show only later, when secrets cannot be decrypted and tokens fail.
 */
export const SEALED_SENTINEL: SealedColumn = {
  table: 'key_sentinel',
  column: 'sealed_text',
  key: ['id'],
  storageAddress: (id) => `key_sentinel/${id}`,
};

const ROW_ID = 'secret-key';
const SEAL_CONTEXT = SEALED_SENTINEL.storageAddress(ROW_ID);
const PLAINTEXT = 'Encrypted with SECRET_KEY.';
const IF_LOST_ADVICE = 'If it is lost for good, run: npm run secrets:rotate -- --accept-lost';

/**
 * Returns the key in DATA_DIR, which the first start generates.
 *
 * @throws StartError when the file is missing, but the database has secrets encrypted with its key
 */
export async function generatedKey(db: Queryable, dataDir: DataDirectory): Promise<string> {
  const isInUse = (await readSentinel(db)) !== undefined;
  return dataDir.secret('secret-key', () => {
    if (!isInUse) return newKey();
    throw new StartError(
      `SECRET_KEY is not set and ${dataDir.path}/secret-key is missing, but the database holds secrets ` +
        `encrypted with that key. Restore the file from a backup, or set SECRET_KEY. ${IF_LOST_ADVICE}`,
    );
  }).value;
}

export const newKey = (): string => randomBytes(32).toString('base64');

/**
 * Makes sure that the current key or a previous one decrypts the secrets in this database. If several
 * processes start on an empty database, one of them writes the sentinel, and the others check it.
 *
 * @throws StartError when none of the keys decrypts them
 */
export async function requireSealingKey(db: Queryable, secrets: Secrets): Promise<void> {
  await db.query(sql`
    INSERT INTO key_sentinel (id, sealed_text) VALUES (${ROW_ID}, ${secrets.seal(PLAINTEXT, SEAL_CONTEXT)})
    ON CONFLICT DO NOTHING`);
  if (await isSealingKey(db, secrets)) return;
  throw new StartError(
    "SECRET_KEY is not the key that encrypted this database's secrets. Set SECRET_KEY to that key, " +
      `or list it in PREVIOUS_SECRET_KEYS. ${IF_LOST_ADVICE}`,
  );
}

/**
 * Returns whether the current key or a previous one decrypts the secrets in this database; undefined
 * if there are none. Changes nothing.
 */
export async function isSealingKey(db: Queryable, secrets: Secrets): Promise<boolean | undefined> {
  const sealed = await readSentinel(db);
  if (sealed === undefined) return undefined;
  try {
    secrets.open(sealed, SEAL_CONTEXT);
    return true;
  } catch {
    return false;
  }
}

/** Encrypts the sentinel with the current key, so that later starts expect this key. */
export async function replaceSentinel(db: Queryable, secrets: Secrets): Promise<void> {
  await db.query(sql`
    INSERT INTO key_sentinel (id, sealed_text) VALUES (${ROW_ID}, ${secrets.seal(PLAINTEXT, SEAL_CONTEXT)})
    ON CONFLICT (id) DO UPDATE SET sealed_text = excluded.sealed_text`);
}

async function readSentinel(db: Queryable): Promise<string | undefined> {
  const [row] = await db.query<{ sealed: string }>(sql`
    SELECT sealed_text AS sealed FROM key_sentinel WHERE id = ${ROW_ID}`);
  return row?.sealed;
}
