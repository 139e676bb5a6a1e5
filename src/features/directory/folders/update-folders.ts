import { isDeepStrictEqual } from 'node:util';
import { failed, mergeItems, outcomeMap, succeeded } from '../../../api/batches.ts';
import type { KeyContext } from '../../../api/context.ts';
import { type ItemOutcome, metadataOf, metadataProblem } from '../../../api/fields.ts';
import { listToJson, mapInChunks } from '../../../platform/chunks.ts';
import { sql, type Transaction } from '../../../platform/database/database.ts';
import { type ChainLink, loadFolderChains, MAX_FOLDER_DEPTH } from '../../access/folder-chains.ts';
import { requireOrganization } from '../organizations/organizations.ts';
import { FolderTree } from './folder-tree.ts';
import {
  type FolderRow,
  folderColumns,
  folderEvent,
  lockFolderTree,
  presentFolder,
} from './folders.ts';
import { FOLDER_FIELDS, type FolderUpdate, type UpdateFoldersInput } from './schema.ts';
import { foldersBeingDeleted } from './target-folders.ts';

type Chains = Map<string, ChainLink[]>;

/**
 * Renames folders, changes their access types, merges their metadata and moves them with everything
 * below them (4.19). Moves are checked in the given order, each on the tree that the previous moves
 * produced.
 */
export function updateFolders(
  ctx: KeyContext,
  { organizationId, folders }: UpdateFoldersInput,
): Promise<Record<string, ItemOutcome>> {
  const { tenantId } = ctx;
  const batch = mergeItems(folders, (folder) => folder.folderId);
  return ctx.db.transaction(async (tx) => {
    await lockFolderTree(tx, tenantId, organizationId);
    await requireOrganization(tx, tenantId, organizationId);
    const place = { tx, tenantId, organizationId };
    const before = await lockFolders(place, batch);
    const parents = batch.flatMap((folder) => folder.parentFolderId ?? []);
    const chains = await loadFolderChains(tx, tenantId, organizationId, [
      ...before.keys(),
      ...parents,
    ]);
    const beingDeleted = foldersBeingDeleted(chains);
    const tree = new FolderTree(chains, await loadHeights(place, moversOf(batch, before)));
    const { outcomes, changed } = await applyUpdates(batch, before, tree, beingDeleted);
    await saveFolders(place, changed);
    await publishUpdates(ctx, place, { changed, before, chains });
    return outcomeMap(outcomes);
  });
}

interface Scope {
  tx: Transaction;
  tenantId: string;
  organizationId: string;
}

async function lockFolders({ tx, tenantId, organizationId }: Scope, batch: FolderUpdate[]) {
  const rows = await tx.query<FolderRow>(sql`
    SELECT ${folderColumns} FROM folders
    WHERE tenant_id = ${tenantId} AND organization_id = ${organizationId}
      AND folder_id = ANY(${batch.map(({ folderId }) => folderId)})
    ORDER BY folder_id FOR NO KEY UPDATE`);
  return new Map(rows.map((row) => [row.folderId, row]));
}

const moversOf = (batch: FolderUpdate[], before: Map<string, FolderRow>): string[] =>
  batch
    .filter(({ folderId, parentFolderId }) => parentFolderId !== undefined && before.has(folderId))
    .map(({ folderId }) => folderId);

/**
 * Returns the levels below each moved folder, except those below other moved folders. OFFSET 0 looks
 * up each level by the index, as in `loadFolderChains`.
 */
async function loadHeights(
  { tx, tenantId, organizationId }: Scope,
  movers: string[],
): Promise<Map<string, number>> {
  if (movers.length === 0) return new Map();
  const rows = await tx.query<{ folderId: string; height: number }>(sql`
    WITH RECURSIVE subtree AS (
      SELECT folder_id AS top_id, folder_id, 0 AS distance FROM folders
      WHERE tenant_id = ${tenantId} AND organization_id = ${organizationId}
        AND folder_id = ANY(${movers})
      UNION ALL
      SELECT subtree.top_id, below.folder_id, subtree.distance + 1
      FROM subtree CROSS JOIN LATERAL (
        SELECT folder_id FROM folders
        WHERE tenant_id = ${tenantId} AND organization_id = ${organizationId}
          AND parent_folder_id = subtree.folder_id
        OFFSET 0
      ) AS below
      WHERE below.folder_id <> ALL(${movers}) AND subtree.distance < ${MAX_FOLDER_DEPTH}
    )
    SELECT top_id AS "folderId", max(distance) AS height FROM subtree GROUP BY top_id`);
  return new Map(rows.map(({ folderId, height }) => [folderId, height]));
}

async function applyUpdates(
  batch: FolderUpdate[],
  before: Map<string, FolderRow>,
  tree: FolderTree,
  beingDeleted: Set<string>,
): Promise<{ outcomes: ItemOutcome[]; changed: FolderRow[] }> {
  const changed: FolderRow[] = [];
  const outcomes = await mapInChunks(batch, (given) => {
    const { folderId, parentFolderId } = given;
    const old = before.get(folderId);
    if (!old) return failed(folderId, 'Folder does not exist.');
    const row = merge(old, given);
    const tooMuch = metadataProblem(row.metadata);
    const problem =
      (tooMuch && `The metadata ${tooMuch}.`) ??
      (beingDeleted.has(parentFolderId ?? '') ? 'Parent folder is being deleted.' : undefined) ??
      (parentFolderId === undefined ? undefined : tree.move(folderId, parentFolderId));
    if (problem) return failed(folderId, problem);
    if (!isDeepStrictEqual(row, old)) changed.push(row);
    return succeeded(folderId, 'Folder updated.');
  });
  return { outcomes, changed };
}

const merge = (old: FolderRow, given: FolderUpdate): FolderRow => ({
  folderId: old.folderId,
  folderName: given.folderName ?? old.folderName,
  parentFolderId: given.parentFolderId === undefined ? old.parentFolderId : given.parentFolderId,
  accessType: given.accessType ?? old.accessType,
  metadata: { ...old.metadata, ...metadataOf(given, FOLDER_FIELDS) },
});

async function saveFolders({ tx, tenantId, organizationId }: Scope, rows: FolderRow[]) {
  if (rows.length === 0) return;
  await tx.query(sql`
    UPDATE folders SET folder_name = given."folderName", access_type = given."accessType",
      parent_folder_id = given."parentFolderId", metadata = given.metadata, updated_at = now()
    FROM jsonb_to_recordset(${await listToJson(rows)}::jsonb) AS given("folderId" text,
      "folderName" text, "accessType" text, "parentFolderId" text, metadata jsonb)
    WHERE tenant_id = ${tenantId} AND organization_id = ${organizationId}
      AND folder_id = ANY(${rows.map((row) => row.folderId)}) AND folder_id = given."folderId"`);
}

interface Changes {
  changed: FolderRow[];
  before: Map<string, FolderRow>;
  /** The chains before the update. */
  chains: Chains;
}

/** Reads the chains again, since a folder may be below another one that moved. */
async function publishUpdates(ctx: KeyContext, place: Scope, { changed, before, chains }: Changes) {
  const { tx, tenantId, organizationId } = place;
  const ids = changed.map((row) => row.folderId);
  const chainsNow = await loadFolderChains(tx, tenantId, organizationId, ids);
  const events = changed.values().map((row) => {
    const old = before.get(row.folderId);
    const previous = old && presentFolder(old, chains.get(row.folderId) ?? []);
    const folder = presentFolder(row, chainsNow.get(row.folderId) ?? []);
    return folderEvent('folder.update', organizationId, folder, previous);
  });
  await ctx.events.append(tx, tenantId, events);
}
