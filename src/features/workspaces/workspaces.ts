import type { RequestContext, Services, WorkspaceContext } from '../../api/context.ts';
import { sql } from '../../platform/database/database.ts';
import { pipeline } from '../../platform/database/pipeline.ts';
import { AppError } from '../../platform/errors.ts';
import { newId, newToken } from '../../platform/ids.ts';
import { sha256 } from '../../platform/secrets.ts';
import { newAuthToken } from '../api-keys/auth-tokens.ts';
import { DEFAULT_REALTIME_REGION } from '../api-keys/regions.ts';
import { type KeyRow, presentKey } from '../api-keys/schema.ts';
import type { CreateWorkspaceInput, PresentedWorkspace, UpdateWorkspaceInput } from './schema.ts';

/** Creates a workspace with one testing key, both with random auth tokens. */
export async function createWorkspace(
  { db, secrets }: Pick<Services, 'db' | 'secrets'>,
  input: CreateWorkspaceInput,
) {
  const workspaceToken = newToken();
  const ownerName = input.name ?? input.ownerEmail;
  const key = { id: newId(), name: 'Testing', type: 'testing', disabled: false };
  const { token: apiKeyAuthToken, row } = newAuthToken(secrets, key.id);
  const workspace = {
    id: newId(),
    name: input.workspaceName ?? `${ownerName}'s workspace`,
    ownerEmail: input.ownerEmail,
    ownerName,
    apiKeys: [key],
  };
  await db.transaction((tx) =>
    pipeline([
      tx.query(sql`
        INSERT INTO workspaces (id, name, owner_email, owner_name)
        VALUES (${workspace.id}, ${workspace.name}, ${workspace.ownerEmail}, ${ownerName})`),
      tx.query(sql`
        INSERT INTO workspace_auth_tokens (workspace_id, hash)
        VALUES (${workspace.id}, ${sha256(workspaceToken)})`),
      tx.query(sql`
        INSERT INTO api_keys (id, workspace_id, name, type, owner_email, realtime_db_region)
        VALUES (${key.id}, ${workspace.id}, ${key.name}, ${key.type}, ${workspace.ownerEmail},
          ${DEFAULT_REALTIME_REGION})`),
      tx.query(sql`
        INSERT INTO auth_tokens (tenant_id, hash, sealed_token)
        VALUES (${key.id}, ${row.hash}, ${row.sealedToken})`),
      tx.query(sql`INSERT INTO service_settings (tenant_id) VALUES (${key.id})`),
    ]),
  );
  return { ...present(workspace), authToken: workspaceToken, apiKeyAuthToken };
}

/** The columns of a `WorkspaceRow`. */
const workspaceColumns = sql`
  id, name, owner_email AS "ownerEmail", owner_name AS "ownerName", (
    SELECT COALESCE(json_agg(json_build_object(
      'id', k.id, 'name', k.name, 'type', k.type, 'disabled', k.disabled) ORDER BY k.id), '[]')
    FROM api_keys k WHERE k.workspace_id = workspaces.id) AS "apiKeys"`;

/** @throws NOT_FOUND */
export async function getWorkspace(ctx: WorkspaceContext): Promise<PresentedWorkspace> {
  const found = await ctx.db.query<WorkspaceRow>(sql`
    SELECT ${workspaceColumns} FROM workspaces WHERE id = ${ctx.workspaceId}`);
  return presentOnly(found);
}

/** @throws NOT_FOUND */
export async function updateWorkspace(
  ctx: RequestContext,
  { workspaceId, plan, selfServeProductionKeys, maxProductionKeys }: UpdateWorkspaceInput,
): Promise<PresentedWorkspace> {
  const updated = await ctx.db.write<WorkspaceRow>(sql`
    UPDATE workspaces SET plan = COALESCE(${plan ?? null}, plan),
      self_serve_production_keys =
        COALESCE(${selfServeProductionKeys ?? null}, self_serve_production_keys),
      max_production_keys = COALESCE(${maxProductionKeys ?? null}, max_production_keys)
    WHERE id = ${workspaceId} RETURNING ${workspaceColumns}`);
  return presentOnly(updated);
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

function presentOnly([workspace]: WorkspaceRow[]): PresentedWorkspace {
  if (!workspace) throw new AppError('NOT_FOUND', 'The workspace does not exist.');
  return present(workspace);
}

const present = ({ id, name, ownerEmail, ownerName, apiKeys }: WorkspaceRow) => ({
  id,
  name,
  owner: { email: ownerEmail, name: ownerName },
  apiKeyList: Object.fromEntries(apiKeys.map((key) => [key.id, presentKey(key)])),
});
