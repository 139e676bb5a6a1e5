import type { Client } from 'pg';
import { SEALED_SENTINEL } from '../../../src/platform/key-sentinel.ts';
import { Secrets, sha256 } from '../../../src/platform/secrets.ts';

/** The API key that every comparison calls with. */
export const TENANT = 'bench-key';
const AUTH_TOKEN = 'bench-auth-token';

export const CREDENTIALS = { 'x-svc-api-key': TENANT, 'x-svc-auth-token': AUTH_TOKEN };

/** Every measured server has this key, because it must decrypt what a database holds. */
export const SECRET_KEY = Buffer.alloc(32, 7);

export async function seedCredentials(database: Client): Promise<void> {
  await database.query(
    `INSERT INTO workspaces (id, name, owner_email, owner_name)
     VALUES ('bench', 'Bench', 'bench@example.com', 'Bench')`,
  );
  await database.query(
    `INSERT INTO api_keys (id, workspace_id, type, owner_email, realtime_db_region)
     VALUES ($1, 'bench', 'testing', 'bench@example.com', 'us-central1')`,
    [TENANT],
  );
  await database.query(
    `INSERT INTO auth_tokens (tenant_id, hash, sealed_token) VALUES ($1, $2, 'never shown')`,
    [TENANT, sha256(AUTH_TOKEN)],
  );
  const place = SEALED_SENTINEL.storageAddress('secret-key');
  await database.query('INSERT INTO key_sentinel (id, sealed_text) VALUES ($1, $2)', [
    'secret-key',
    new Secrets(SECRET_KEY).seal('Sealed for benchmarks.', place),
  ]);
}
