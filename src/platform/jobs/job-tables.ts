import type { Client } from 'pg';
import { PgBoss } from 'pg-boss';

/** Makes or migrates the tables of the job queue, which otherwise happens at the start. */
export async function createJobTables(client: Client): Promise<void> {
  const boss = new PgBoss({
    db: { executeSql: (text, values) => client.query(text, values) },
    schema: 'pgboss',
    schedule: false,
    supervise: false,
  });
  boss.on('error', () => {});
  await boss.start();
  await boss.stop({ graceful: false, close: false });
}
