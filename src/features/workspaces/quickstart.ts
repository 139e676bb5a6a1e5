import type { Services } from '../../api/context.ts';
import type { DataDirectory } from '../../platform/data-directory.ts';
import { sql } from '../../platform/database/database.ts';
import { addWorkspace } from './workspaces.ts';

/** An arbitrary number, which no other advisory lock uses. */
const QUICKSTART_LOCK = 7_241_992;

/** The credentials that the first start creates, and the content of DATA_DIR/quickstart.json. */
export interface Quickstart {
  url: string;
  workspaceId: string;
  workspaceAuthToken: string;
  apiKey: string;
  authToken: string;
  adminToken: string;
}

export const QUICKSTART_FILE = 'quickstart.json';

/**
 * On the first start with an empty database, creates a workspace and a key, and stores them in
 * DATA_DIR/quickstart.json. Of several processes that start together, only one does this.
 *
 * @returns undefined on any other start
 */
export function createQuickstart({ db, secrets, config }: Services, dataDir: DataDirectory) {
  return db.transaction(async (tx): Promise<Quickstart | undefined> => {
    await tx.query(sql`SELECT pg_advisory_xact_lock(${QUICKSTART_LOCK})`);
    const existing = await tx.query(sql`SELECT 1 FROM workspaces LIMIT 1`);
    if (existing.length > 0) return undefined;
    const owner = { ownerEmail: 'owner@example.com', name: 'Owner', workspaceName: 'Quickstart' };
    const { created, apiKeyAuthToken } = await addWorkspace(secrets, tx, owner);
    const [apiKey = ''] = Object.keys(created.apiKeyList);
    const quickstart = {
      url: config.publicUrl,
      workspaceId: created.id,
      workspaceAuthToken: created.authToken,
      apiKey,
      authToken: apiKeyAuthToken,
      adminToken: config.adminToken,
    };
    // The file is written before the commit: if the start fails here, the next one is a first start again.
    dataDir.writeSecretFile(QUICKSTART_FILE, `${JSON.stringify(quickstart, null, 2)}\n`);
    return quickstart;
  });
}
