import { z } from 'zod';
import type { Job } from '../../../platform/jobs/job.ts';

const Payload = z.object({ tenantId: z.string(), organizationId: z.string() });

/** Deletes an organization in the background. From the request on, nothing can be added to it. */
export const deleteOrganizationJob: Job<z.infer<typeof Payload>> = {
  name: 'organizations.delete',
  payload: Payload,
  keyOf: ({ tenantId, organizationId }) => JSON.stringify([tenantId, organizationId]),
};
