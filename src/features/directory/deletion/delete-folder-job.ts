import { z } from 'zod';
import type { Services } from '../../../api/context.ts';
import { type Sql, sql, type Transaction } from '../../../platform/database/database.ts';
import type { Dependents } from '../../../platform/erasure/dependent-rows.ts';
import { handleJob, type Job } from '../../../platform/jobs/job.ts';
import { lockFolderTree } from '../folders/folders.ts';
import type { TenantWriter } from './remove-documents.ts';
import { removeStep, type Scope, updateStatistics } from './remove-step.ts';

const Payload = z.object({
  tenantId: z.string(),
  organizationId: z.string(),
  folderId: z.string(),
  /** False in jobs of earlier versions, which did not mark what they were to delete. */
  isMarked: z.boolean().default(false),
});

/**
 * Deletes a folder and everything below it in the background. From the request on, nothing can be
 * added to these folders.
 */
export const deleteFolderJob: Job<z.infer<typeof Payload>> = {
  name: 'folders.delete',
  payload: Payload,
  keyOf: ({ tenantId, organizationId, folderId }) =>
    JSON.stringify([tenantId, organizationId, folderId]),
};

/**
 * Deletes the folder step by step from the leaves, and itself last. After a crash the job continues
 * with the remaining rows.
 */
export const deleteFolderHandler = (dependents: Dependents) =>
  handleJob(
    deleteFolderJob,
    async ({ db, events }: Services, { tenantId, organizationId, folderId, isMarked }, signal) => {
      const ctx = { db, events, tenantId, dependents };
      const scope = { organizationId, folderId };
      if (!isMarked) await mark(ctx, scope);
      await updateStatistics(db);
      const step = () =>
        db.transaction(async (tx) => {
          await lockFolderTree(tx, tenantId, organizationId);
          return (await isStillMarked(ctx, tx, scope)) && removeStep(ctx, tx, scope);
        });
      while (await step()) signal.throwIfAborted();
    },
  );

type FolderScope = Required<Scope>;

const placeOf = ({ tenantId }: TenantWriter, { organizationId, folderId }: FolderScope): Sql => sql`
  tenant_id = ${tenantId} AND organization_id = ${organizationId} AND folder_id = ${folderId}`;

async function mark(ctx: TenantWriter, scope: FolderScope): Promise<void> {
  await ctx.db.query(sql`
    UPDATE folders SET is_being_deleted = true /* background */ WHERE ${placeOf(ctx, scope)}`);
}

/** False when the folder is deleted; another may have its id by now. */
async function isStillMarked(ctx: TenantWriter, tx: Transaction, scope: FolderScope) {
  const rows = await tx.query(sql`
    SELECT 1 FROM folders /* background */ WHERE ${placeOf(ctx, scope)} AND is_being_deleted`);
  return rows.length > 0;
}
