import type { Services } from '../../api/context.ts';
import type { DataDirectory } from '../../platform/data-directory.ts';
import { sql } from '../../platform/database/database.ts';
import { createWorkspace } from './workspaces.ts';

/** The key of the advisory lock: any number that no other lock with one key uses. */
const QUICKSTART_LOCK = 7_241_995;

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
 * DATA_DIR/quickstart.json.
 *
 * @returns undefined on any other start
 */
export async function createQuickstart(services: Services, dataDir: DataDirectory) {
  const first = await createFirstWorkspace(services);
  if (!first) return undefined;
  const { created, apiKeyAuthToken } = first;
  const { publicUrl: url, adminToken } = services.config;
  const [apiKey = ''] = Object.keys(created.apiKeyList);
  const quickstart = {
    url,
    workspaceId: created.id,
    workspaceAuthToken: created.authToken,
    apiKey,
    authToken: apiKeyAuthToken,
    adminToken,
  };
  dataDir.writeSecretFile(QUICKSTART_FILE, `${JSON.stringify(quickstart, null, 2)}\n`);
  return quickstart;
}

/** Creates the workspace, unless another process that started together with this one has created it. */
function createFirstWorkspace({ db, secrets }: Services) {
  return db.transaction(async (tx) => {
    await tx.query(sql`SELECT pg_advisory_xact_lock(${QUICKSTART_LOCK})`);
    const existing = await tx.query(sql`SELECT 1 FROM workspaces LIMIT 1`);
    if (existing.length > 0) return undefined;
    // The workspace is committed by a transaction of its own, before the lock is released.
    return createWorkspace(
      { db, secrets },
      {
        ownerEmail: 'owner@example.com',
        name: 'Owner',
        workspaceName: 'Quickstart',
      },
    );
  });
}
