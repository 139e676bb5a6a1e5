import { mergeItems } from '../../../api/batches.ts';
import type { KeyContext } from '../../../api/context.ts';
import { sql, type Transaction } from '../../../platform/database/database.ts';
import { loadFolderChains, MAX_FOLDER_DEPTH } from '../../access/folder-chains.ts';
import { requireOrganization } from '../organizations/organizations.ts';
import { FolderTree, PROBLEMS } from './folder-tree.ts';
import {
  FOLDERS,
  folderEvent,
  foldersBeingDeleted,
  lockFolderTree,
  presentFolder,
  withSubtree,
} from './folders.ts';
import type { UpdateFoldersInput } from './schema.ts';

/**
 * Renames folders, changes their access types, merges their metadata and moves them with everything
 * below them (specification 4.19). Moves are checked in the given order, each on the tree that the
 * previous moves produced.
 */
export function updateFolders(ctx: KeyContext, { organizationId, folders }: UpdateFoldersInput) {
  const { tenantId } = ctx;
  const place = { tenantId, organizationId };
  const batch = mergeItems(folders, FOLDERS.idOf);
  return ctx.db.transaction(async (tx) => {
    await lockFolderTree(tx, tenantId, organizationId);
    await requireOrganization(tx, tenantId, organizationId);
    const loadChains = (ids: string[]) => loadFolderChains(tx, tenantId, organizationId, ids);
    const locked = await FOLDERS.lock(tx, place, batch);
    const known = new Set(locked.map(FOLDERS.idOf));
    const moving = batch.filter((folder) => folder.parentFolderId !== undefined);
    const parents = moving.flatMap((folder) => folder.parentFolderId ?? []);
    const chains = await loadChains([...known, ...parents]);
    const beingDeleted = foldersBeingDeleted(chains);
    const movedIds = moving.map(FOLDERS.idOf).filter((id) => known.has(id));
    const tree = new FolderTree(chains, await loadHeights(tx, place, movedIds));
    const { outcomes, changes } = await FOLDERS.change(
      tx,
      place,
      { batch, locked },
      {
        apply(before, update) {
          const { folderId, parentFolderId } = update;
          const after = FOLDERS.apply(before, update);
          if (typeof after === 'string' || parentFolderId === undefined) return after;
          if (beingDeleted.has(parentFolderId ?? '')) return PROBLEMS.parentBeingDeleted;
          return tree.move(folderId, parentFolderId) ?? after;
        },
      },
    );
    // The chains are read again, since a folder may be below another folder that has moved.
    const chainsNow = await loadChains(changes.map(({ after }) => after.folderId));
    const events = changes.values().map(({ before, after }) => {
      const previous = presentFolder(before, chains.get(before.folderId));
      return folderEvent('folder.update', after, chainsNow, previous);
    });
    await ctx.events.append(tx, tenantId, events);
    return outcomes;
  });
}

/** Returns how many levels are below each moved folder, without the levels below other moved folders. */
async function loadHeights(
  tx: Transaction,
  { tenantId, organizationId }: { tenantId: string; organizationId: string },
  movedIds: string[],
): Promise<Map<string, number>> {
  if (movedIds.length === 0) return new Map();
  const place = sql`tenant_id = ${tenantId} AND organization_id = ${organizationId}`;
  const stepCondition = sql`
    below.folder_id <> ALL(${movedIds}) AND subtree.distance < ${MAX_FOLDER_DEPTH}`;
  const rows = await tx.query<{ folderId: string; height: number }>(sql`
    ${withSubtree(place, movedIds, stepCondition)}
    SELECT top_id AS "folderId", max(distance) AS height FROM subtree GROUP BY top_id`);
  return new Map(rows.map(({ folderId, height }) => [folderId, height]));
}
