import type { Services } from '../../../api/context.ts';
import { handleJob } from '../../../platform/jobs/job.ts';
import { deleteFolderJob } from './delete-folder-job.ts';
import { lockFolderTree } from './folders.ts';
import { removeStep, updateStatistics } from './remove-step.ts';

/**
 * Deletes the folder step by step from the leaves, and itself last. After a crash the job continues
 * with the remaining rows.
 */
export const deleteFolderHandler = handleJob(
  deleteFolderJob,
  async ({ db, events }: Services, { tenantId, organizationId, folderId }, signal) => {
    const ctx = { db, events, tenantId };
    await updateStatistics(db);
    const step = () =>
      db.transaction(async (tx) => {
        await lockFolderTree(tx, tenantId, organizationId);
        return removeStep(ctx, tx, { organizationId, folderId });
      });
    while (await step()) signal.throwIfAborted();
  },
);
