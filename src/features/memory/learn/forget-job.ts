import { z } from 'zod';
import type { Job } from '../../../platform/jobs/job.ts';

const payload = z.object({
  tenantId: z.string(),
  organizationId: z.string(),
  /** When the organization was deleted. Later judgments belong to a new one with the same id. */
  deletedMs: z.number(),
});
type Forgotten = z.infer<typeof payload>;

/** Deletes the judgments of a deleted organization. */
export const forgetJob: Job<Forgotten> = {
  name: 'memory.forget',
  payload,
  keyOf: ({ tenantId, organizationId, deletedMs }) =>
    JSON.stringify([tenantId, organizationId, deletedMs]),
};
