import type { RequestContext, Services, WorkspaceContext } from '../../api/context.ts';
import { sql, type Transaction } from '../../platform/database/database.ts';
import { AppError } from '../../platform/errors.ts';
import { newId, newToken } from '../../platform/ids.ts';
import { sha256 } from '../../platform/secrets.ts';
import { addKey } from '../api-keys/create-api-key.ts';
import { CreateApiKey, type KeyRow, presentKey } from '../api-keys/schema.ts';
import type { CreateWorkspaceInput, PresentedWorkspace, UpdateWorkspaceInput } from './schema.ts';

/** Creates a workspace in a transaction of its own. */
export const createWorkspace = (
  { db, secrets }: Pick<Services, 'db' | 'secrets'>,
  input: CreateWorkspaceInput,
) => db.transaction((tx) => addWorkspace(secrets, tx, input));

/** Stores a new workspace with one testing key, both with random auth tokens. */
export async function addWorkspace(
  secrets: Services['secrets'],
  tx: Transaction,
  { name: ownerName, ownerEmail, workspaceName }: CreateWorkspaceInput,
) {
  const authToken = newToken();
  const owner = { ownerEmail, ownerName: ownerName ?? ownerEmail };
  const name = workspaceName ?? `${owner.ownerName}'s workspace`;
  const workspace = { id: newId(), name, ...owner };
  const testing = { type: 'testing', apiKeyName: 'Testing', ownerEmail, createAuthToken: true };
  await tx.query(sql`
    WITH workspace AS (
      INSERT INTO workspaces (id, name, owner_email, owner_name)
      VALUES (${workspace.id}, ${name}, ${ownerEmail}, ${owner.ownerName}))
    INSERT INTO workspace_auth_tokens (workspace_id, hash)
    VALUES (${workspace.id}, ${sha256(authToken)})`);
  const keyOwner = { secrets, workspaceId: workspace.id };
  const { apiKey, authToken: keyToken } = await addKey(keyOwner, tx, CreateApiKey.parse(testing));
  const key = { id: apiKey, name: 'Testing', type: 'testing', disabled: false };
  const created = { ...present({ ...workspace, apiKeys: [key] }), authToken };
  return { created, apiKeyAuthToken: keyToken ?? '' };
}

export async function getWorkspace(ctx: WorkspaceContext): Promise<PresentedWorkspace> {
  const [workspace] = await ctx.db.query<Omit<WorkspaceRow, 'apiKeys'>>(sql`
    SELECT id, name, owner_email AS "ownerEmail", owner_name AS "ownerName"
    FROM workspaces WHERE id = ${ctx.workspaceId}`);
  if (!workspace) throw new Error('The credentials are valid, but their workspace does not exist.');
  const apiKeys = await ctx.db.query<KeyRow>(sql`
    SELECT id, name, type, disabled FROM api_keys
    WHERE workspace_id = ${ctx.workspaceId} ORDER BY id`);
  return present({ ...workspace, apiKeys });
}

/** @throws NOT_FOUND */
export async function updateWorkspace(
  ctx: RequestContext,
  { workspaceId, plan, selfServeProductionKeys, maxProductionKeys }: UpdateWorkspaceInput,
): Promise<PresentedWorkspace> {
  const updated = await ctx.db.write(sql`
    UPDATE workspaces SET plan = COALESCE(${plan ?? null}, plan),
      self_serve_production_keys =
        COALESCE(${selfServeProductionKeys ?? null}::boolean, self_serve_production_keys),
      max_production_keys = COALESCE(${maxProductionKeys ?? null}::int, max_production_keys)
    WHERE id = ${workspaceId} RETURNING 1`);
  if (updated.length === 0) throw new AppError('NOT_FOUND', 'The workspace does not exist.');
  return getWorkspace({ ...ctx, workspaceId });
}

/** Revokes the workspace's auth tokens and creates a new one. The tokens of its keys stay valid. */
export function resetWorkspaceToken({ db, workspaceId }: WorkspaceContext) {
  const authToken = newToken();
  return db.transaction(async (tx) => {
    // The lock serializes concurrent resets, so that one token remains.
    await tx.query(sql`SELECT 1 FROM workspaces WHERE id = ${workspaceId} FOR NO KEY UPDATE`);
    await tx.query(sql`DELETE FROM workspace_auth_tokens WHERE workspace_id = ${workspaceId}`);
    await tx.query(sql`
      INSERT INTO workspace_auth_tokens (workspace_id, hash)
      VALUES (${workspaceId}, ${sha256(authToken)})`);
    return { id: workspaceId, authToken };
  });
}

interface WorkspaceRow {
  id: string;
  name: string;
  ownerEmail: string;
  ownerName: string;
  apiKeys: KeyRow[];
}

const present = ({ id, name, ownerEmail, ownerName, apiKeys }: WorkspaceRow) => ({
  id,
  name,
  owner: { email: ownerEmail, name: ownerName },
  apiKeyList: Object.fromEntries(apiKeys.map((key) => [key.id, presentKey(key)])),
});
