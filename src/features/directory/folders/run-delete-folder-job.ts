import type { Services } from '../../../api/context.ts';
import { handleJob } from '../../../platform/jobs/job.ts';
import { deleteFolderJob } from './delete-folder-job.ts';
import { lockFolderTree } from './folders.ts';
import { prepareRemoval, removeStep } from './remove-step.ts';

/**
 * Clears the folder from below, step by step; the folder itself is the last leaf. Run again after a
 * crash, it goes on with what is left; when nothing is, it is done.
 */
export const deleteFolderHandler = handleJob(
  deleteFolderJob,
  async ({ db, events }: Services, { tenantId, organizationId, folderId }, signal) => {
    const ctx = { db, events, tenantId };
    await prepareRemoval(db);
    const step = () =>
      db.transaction(async (tx) => {
        await lockFolderTree(tx, tenantId, organizationId);
        return removeStep(ctx, tx, { organizationId, folderId });
      });
    while (await step()) signal.throwIfAborted();
  },
);
