import type { Client } from 'pg';
import { PgBoss } from 'pg-boss';

/** Creates or migrates the tables of the job queue, which a process otherwise does when it starts. */
export async function createJobTables(client: Client): Promise<void> {
  const boss = new PgBoss({
    db: { executeSql: (text, values) => client.query(text, values) },
    schema: 'pgboss',
    schedule: false,
    supervise: false,
  });
  // An error event without a listener would end the process. `start` throws its errors.
  boss.on('error', () => {});
  await boss.start();
  await boss.stop({ graceful: false, close: false });
}
