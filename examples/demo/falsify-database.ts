import { Client } from 'pg';
import { MAKER } from './company.ts';
import { CHANGED_RECORD } from './write-acts.ts';

/**
 * Changes data in the database that no operation can change, so that the demo can show the consequences. One record of
 * an activity log gets another content, which breaks the log's hash chain. The pending deliveries to the failing
 * endpoint become failed ones, as if their retries were over. Never call this for real data.
 *
 * @returns whether there was something to change
 */
export async function falsifyDatabase(databaseUrl: string, apiKey: string): Promise<boolean> {
  const client = new Client({ connectionString: databaseUrl, connectionTimeoutMillis: 10_000 });
  await client.connect();
  try {
    const { rowCount } = await client.query(
      `UPDATE activities SET content = replace(content::text, '12500', '92500')::json
       WHERE tenant_id = $1 AND organization_id = $2 AND id = $3`,
      [apiKey, MAKER, CHANGED_RECORD],
    );
    await client.query(
      `UPDATE webhook_deliveries SET status = 'failed', due_at = NULL, settled_at = now()
       WHERE tenant_id = $1 AND status = 'pending' AND attempts > 0 AND endpoint_id =
         (SELECT id FROM webhook_endpoints WHERE tenant_id = $1 AND uid = 'demo-failing')`,
      [apiKey],
    );
    return rowCount === 1;
  } finally {
    await client.end();
  }
}
