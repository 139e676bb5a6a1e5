import { databaseClient } from './database-client.ts';

/** Opens a transaction that holds up others, by the locks of its first statement, until its release. */
export async function holdTransaction(databaseUrl: string, statement: string, values?: unknown[]) {
  const client = await databaseClient(databaseUrl);
  await client.query('BEGIN');
  await client.query(statement, values);
  return {
    query: (text: string, values?: unknown[]) => client.query(text, values),
    release: async () => {
      await client.query('COMMIT');
      await client.end();
    },
  };
}
