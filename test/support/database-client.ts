import { Client } from 'pg';
import { whenFileEnds } from './when-file-ends.ts';

/** A connection to a database until the end of the file. The server may end it before. */
export async function databaseClient(connectionString: string): Promise<Client> {
  const client = new Client({ connectionString });
  client.on('error', () => undefined);
  await client.connect();
  whenFileEnds(() => client.end());
  return client;
}
