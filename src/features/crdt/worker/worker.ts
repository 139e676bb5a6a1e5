import { serveThread } from '../../../platform/threads.ts';
import { type Job, perform } from './jobs.ts';

serveThread<Job>(perform);
