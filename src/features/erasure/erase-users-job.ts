import { z } from 'zod';
import type { Job } from '../../platform/jobs/job.ts';

/**
 * The users are stored in the erasure's row, which is cleared at the end, since the queue keeps its
 * jobs.
 */
const Payload = z.object({ tenantId: z.string(), jobId: z.string() });

export const eraseUsersJob: Job<z.infer<typeof Payload>> = {
  name: 'users.erase',
  payload: Payload,
  keyOf: ({ tenantId, jobId }) => JSON.stringify([tenantId, jobId]),
};
