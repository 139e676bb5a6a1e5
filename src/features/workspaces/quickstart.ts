import type { Services } from '../../api/context.ts';
import { HEADERS } from '../../api/credentials/authenticate.ts';
import type { DataDirectory } from '../../platform/data-directory.ts';
import { sql } from '../../platform/database/database.ts';
import { createWorkspace } from './workspaces.ts';

const QUICKSTART_LOCK = 7_241_995;

/**
 * On the first start with an empty database, creates a workspace and a key, prints them with a
 * working `curl` command, and stores them in DATA_DIR/quickstart.json.
 *
 * @returns whether they were created, and the admin token for display
 */
export async function createQuickstart(
  services: Services,
  dataDir: DataDirectory,
): Promise<boolean> {
  const workspace = await createFirstWorkspace(services);
  if (!workspace) return false;
  const { publicUrl: url, adminToken } = services.config;
  const [apiKey = ''] = Object.keys(workspace.apiKeyList);
  const quickstart = {
    url,
    workspaceId: workspace.id,
    workspaceAuthToken: workspace.authToken,
    apiKey,
    authToken: workspace.apiKeyAuthToken,
    adminToken,
  };
  dataDir.writeSecretFile('quickstart.json', `${JSON.stringify(quickstart, null, 2)}\n`);
  process.stdout.write(`
First start: a workspace and an API key are ready (kept in ${dataDir.path}/quickstart.json).

  API key      ${apiKey}
  Auth token   ${quickstart.authToken}
  Admin token  ${adminToken}
  API page     ${url}/docs

Try it:

curl -sS ${url}/v1/users/add -H 'content-type: application/json' -H '${HEADERS.apiKey}: ${apiKey}' -H '${HEADERS.authToken}: ${quickstart.authToken}' -d '{"data":{"organizationId":"acme","users":[{"userId":"ada","name":"Ada Lovelace"}]}}'

`);
  return true;
}

/** Of several processes that start together, one creates the workspace. */
function createFirstWorkspace({ db, secrets }: Services) {
  return db.transaction(async (tx) => {
    await tx.query(sql`SELECT pg_advisory_xact_lock(${QUICKSTART_LOCK})`);
    const existing = await tx.query(sql`SELECT 1 FROM workspaces LIMIT 1`);
    if (existing.length > 0) return undefined;
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
