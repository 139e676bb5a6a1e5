import { z } from 'zod';
import type { Job } from '../../../platform/jobs/job.ts';

const Payload = z.object({
  tenantId: z.string(),
  organizationId: z.string(),
  /** False in jobs of earlier versions, which did not mark what they were to delete. */
  isMarked: z.boolean().default(false),
});

/** Deletes an organization in the background. From the request on, nothing can be added to it. */
export const deleteOrganizationJob: Job<z.infer<typeof Payload>> = {
  name: 'organizations.delete',
  payload: Payload,
  keyOf: ({ tenantId, organizationId }) => JSON.stringify([tenantId, organizationId]),
};
