import { failed, lastOfEach, outcomeMap, succeeded } from '../../api/batches.ts';
import type { KeyContext } from '../../api/context.ts';
import { type ItemOutcome, metadataOf } from '../../api/fields.ts';
import { sql, type Transaction } from '../../platform/database/database.ts';
import type { NewEvent } from '../../platform/events/event-log.ts';
import { organizationFor } from '../organizations/organizations.ts';
import { loadFolderChains, MAX_FOLDER_DEPTH } from './folder-chains.ts';
import { FOLDER_FIELDS, type FolderInput } from './schema.ts';

interface AddFoldersInput {
  organizationId: string;
  createOrganization: boolean;
  folders: FolderInput[];
}

/**
 * Adds folders (4.17). A parent may stand in the same batch, before or after its children. What
 * cannot be added says why; the rest is added.
 */
export function addFolders(
  ctx: KeyContext,
  { organizationId, createOrganization, folders }: AddFoldersInput,
): Promise<Record<string, ItemOutcome>> {
  const batch = lastOfEach(folders, (folder) => folder.folderId);
  return ctx.db.transaction(async (tx) => {
    await organizationFor(ctx, tx, organizationId, createOrganization);
    const ids = batch.flatMap(({ folderId, parentFolderId }) => [folderId, parentFolderId ?? []]);
    const chains = await loadFolderChains(tx, ctx.tenantId, organizationId, ids.flat());
    const depths = new Map([...chains].map(([folderId, chain]) => [folderId, chain.length]));
    const refusals = refuse(batch, depths);
    const addable = batch.filter((folder) => !refusals.has(folder.folderId));
    const added = await insertFolders(tx, ctx.tenantId, organizationId, addable);
    await ctx.events.append(
      tx,
      ctx.tenantId,
      addable.filter(({ folderId }) => added.has(folderId)).map((f) => addEvent(organizationId, f)),
    );
    return outcomeMap(
      batch.map(({ folderId }) =>
        added.has(folderId)
          ? succeeded(folderId, 'Folder added.')
          : failed(folderId, refusals.get(folderId) ?? 'Folder already exists.'),
      ),
    );
  });
}

/**
 * Why folders of the batch cannot be added, by id. `depths` are those of the folders that exist.
 * A folder can be placed once its parent is; what never can be has a missing or circular parent.
 */
function refuse(batch: FolderInput[], depths: Map<string, number>): Map<string, string> {
  const refusals = new Map<string, string>();
  const placed = new Map(depths);
  const children = Map.groupBy(batch, (folder) => folder.parentFolderId ?? null);
  const inBatch = new Set(batch.map((folder) => folder.folderId));
  const pending = [...(children.get(null) ?? [])];
  for (const parentId of depths.keys()) pending.push(...(children.get(parentId) ?? []));
  for (let folder = pending.pop(); folder; folder = pending.pop()) {
    const { folderId, parentFolderId } = folder;
    const depth = 1 + (placed.get(parentFolderId ?? '') ?? 0);
    if (depths.has(folderId)) refusals.set(folderId, 'Folder already exists.');
    else if (depth > MAX_FOLDER_DEPTH) refusals.set(folderId, tooDeep);
    else {
      placed.set(folderId, depth);
      pending.push(...(children.get(folderId) ?? []));
    }
  }
  for (const { folderId, parentFolderId } of batch) {
    if (placed.has(folderId) || refusals.has(folderId)) continue;
    const isCircular = inBatch.has(parentFolderId ?? '') && !refusals.has(parentFolderId ?? '');
    refusals.set(folderId, isCircular ? circular : 'Parent folder does not exist.');
  }
  return refusals;
}

const tooDeep = `Folders can be nested ${MAX_FOLDER_DEPTH} deep at most.`;
const circular = 'A folder cannot stand below itself.';

async function insertFolders(
  tx: Transaction,
  tenantId: string,
  organizationId: string,
  folders: FolderInput[],
): Promise<Set<string>> {
  if (folders.length === 0) return new Set();
  const rows = folders.map((folder) => ({
    folder_id: folder.folderId,
    folder_name: folder.folderName,
    parent_folder_id: folder.parentFolderId,
    access_type: folder.accessType,
    metadata: metadataOf(folder, FOLDER_FIELDS),
  }));
  // In the order of ids, so that two batches with the same folders cannot wait for each other.
  const added = await tx.query<{ folderId: string }>(sql`
    INSERT INTO folders
      (tenant_id, organization_id, folder_id, folder_name, parent_folder_id, access_type, metadata)
    SELECT ${tenantId}, ${organizationId}, folder_id, folder_name, parent_folder_id, access_type, metadata
    FROM jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) AS folder(
      folder_id text, folder_name text, parent_folder_id text, access_type text, metadata jsonb)
    ORDER BY folder_id
    ON CONFLICT DO NOTHING RETURNING folder_id AS "folderId"`);
  return new Set(added.map((row) => row.folderId));
}

function addEvent(organizationId: string, folder: FolderInput): NewEvent {
  return {
    type: 'folder.add',
    organizationId,
    channels: [`organization:${organizationId}`, `folder:${folder.folderId}`],
    data: folder,
  };
}
