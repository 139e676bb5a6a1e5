import { z } from 'zod';
import type { Job } from '../../platform/jobs/job.ts';

/** Whom it erases stands in the row of the erasure, which forgets them; the queue keeps jobs. */
const Payload = z.object({ tenantId: z.string(), jobId: z.string() });

export const eraseUsersJob: Job<z.infer<typeof Payload>> = {
  name: 'users.erase',
  payload: Payload,
  keyOf: ({ tenantId, jobId }) => JSON.stringify([tenantId, jobId]),
};
