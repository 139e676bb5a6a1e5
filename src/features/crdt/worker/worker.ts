import { serveJobs } from '../../../platform/worker-pool.ts';
import { type Job, performJob } from './jobs.ts';

serveJobs<Job>(performJob);
