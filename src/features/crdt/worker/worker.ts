import { serveJobs } from '../../../platform/worker-pool.ts';
import { type Job, perform } from './jobs.ts';

serveJobs<Job>(perform);
