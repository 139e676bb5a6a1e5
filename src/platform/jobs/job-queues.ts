import { type Sql, sql } from '../database/database.ts';
import { type BacklogQueue, MAX_COUNTED } from '../processes/backlog.ts';

/** SQL for some of the jobs that are not done. It uses the words of pg-boss's own index. */
const openJobs = (condition: Sql): Sql => sql`
  SELECT count(*)::int AS waiting, min(created_on) AS since FROM (
    SELECT created_on FROM pgboss.job
    WHERE state <= 'active' AND policy = 'exclusive' AND ${condition}
    LIMIT ${MAX_COUNTED}) AS counted`;

/** Jobs that could start, and jobs that failed and wait for another attempt. */
export const jobQueues: BacklogQueue[] = [
  {
    name: 'jobs',
    rows: (now) => openJobs(sql`state < 'active' AND start_after <= ${now}`),
  },
  { name: 'failed jobs', rows: () => openJobs(sql`state = 'retry'`) },
];
