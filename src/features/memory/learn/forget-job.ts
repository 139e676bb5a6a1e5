import { z } from 'zod';
import type { Job } from '../../../platform/jobs/job.ts';

const payload = z.object({
  tenantId: z.string(),
  organizationId: z.string(),
  /** When it was deleted: what is judged in one of the same name after that is another's. */
  deletedMs: z.number(),
});
type Forgotten = z.infer<typeof payload>;

/** The judgments of an organization go with it. */
export const forgetJob: Job<Forgotten> = {
  name: 'memory.forget',
  payload,
  keyOf: ({ tenantId, organizationId, deletedMs }) =>
    JSON.stringify([tenantId, organizationId, deletedMs]),
};
