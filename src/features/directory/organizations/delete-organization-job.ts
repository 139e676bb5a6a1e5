import { z } from 'zod';
import type { Job } from '../../../platform/jobs/job.ts';

const Payload = z.object({ tenantId: z.string(), organizationId: z.string() });

/**
 * Deletes an organization in the background. While it waits or runs, the organization takes
 * nothing new.
 */
export const deleteOrganizationJob: Job<z.infer<typeof Payload>> = {
  name: 'organizations.delete',
  payload: Payload,
  keyOf: ({ tenantId, organizationId }) => JSON.stringify([tenantId, organizationId]),
};
