import { z } from 'zod';
import type { Job } from '../../platform/jobs/job.ts';
import type { JobRef } from './transfers.ts';

const Payload = z.object({ tenantId: z.string(), jobId: z.string() });

const jobNamed = (name: string): Job<JobRef> => ({
  name,
  payload: Payload,
  keyOf: ({ tenantId, jobId }) => JSON.stringify([tenantId, jobId]),
});

export const exportJob = jobNamed('archives.export');
export const importJob = jobNamed('archives.import');
