import { type Client, escapeIdentifier } from 'pg';
import type { Logger } from '../logging.ts';
import { hostUrls, withClient } from './hosts.ts';
import { SESSION_SETTINGS } from './open-pool.ts';

/**
 * Makes `SESSION_SETTINGS` the defaults of the role in this database, because a pooler refuses
 * settings from its clients. The defaults apply to connections that the pooler opens from then on.
 *
 * @param directUrl the URL of the database without the pooler
 * @param pooledUrl the URL of the pooler, with the role as its user
 */
export function setRoleDefaults(directUrl: string, pooledUrl: string, log: Logger): Promise<void> {
  const role = decodeURIComponent(new URL(hostUrls(pooledUrl)[0] ?? '').username);
  return withClient(directUrl, async (client) => {
    for (const statement of await missingDefaults(client, role)) {
      try {
        await client.query(statement);
        log.info({ statement }, "A default of the pooler's role was set.");
      } catch (error) {
        log.warn(
          { err: error, statement },
          "A default of the pooler's role could not be set. Run this statement as an administrator.",
        );
      }
    }
  });
}

/** The statements that set the defaults that are missing or differ. */
async function missingDefaults(client: Client, role: string): Promise<string[]> {
  const { rows } = await client.query<{ setting: string }>(
    `SELECT unnest(setconfig) AS setting FROM pg_db_role_setting
     WHERE setdatabase = (SELECT oid FROM pg_database WHERE datname = current_database())
       AND setrole = (SELECT oid FROM pg_roles WHERE rolname = $1)`,
    [role],
  );
  const present = new Set(rows.map(({ setting }) => setting));
  const roleInDatabase = `${escapeIdentifier(role)} IN DATABASE ${escapeIdentifier(client.database ?? '')}`;
  return Object.entries(SESSION_SETTINGS)
    .filter(([name, value]) => !present.has(`${name}=${value}`))
    .map(([name, value]) => `ALTER ROLE ${roleInDatabase} SET ${name} = '${value}'`);
}
