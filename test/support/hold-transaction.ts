import { Client } from 'pg';
import { whenFileEnds } from './when-file-ends.ts';

/** Opens a transaction that holds up others, by the locks of its first statement, until its release. */
export async function holdTransaction(databaseUrl: string, statement: string, values?: unknown[]) {
  const client = new Client({ connectionString: databaseUrl });
  // The server may end a transaction that is idle for long.
  client.on('error', () => undefined);
  await client.connect();
  whenFileEnds(() => client.end());
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
