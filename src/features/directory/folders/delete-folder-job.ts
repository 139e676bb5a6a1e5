import { z } from 'zod';
import type { Job } from '../../../platform/jobs/job.ts';

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
