import type { Client } from 'pg';
import { TENANT } from './credentials.ts';

/**
 * Runs statements that write many rows, with `:tenant` and `:count` replaced. Foreign keys are not
 * checked meanwhile, since checking takes longer than writing.
 */
export async function fillBy(database: Client, count: number, statements: string[]): Promise<void> {
  await database.query('SET session_replication_role = replica');
  for (const statement of statements) {
    await database.query(
      statement.replaceAll(':tenant', `'${TENANT}'`).replaceAll(':count', String(count)),
    );
  }
  await database.query('RESET session_replication_role');
}

export const ORGANIZATION = `
  INSERT INTO organizations (tenant_id, organization_id, organization_name)
  VALUES (:tenant, 'acme', 'acme')`;

export const DOCUMENTS = `
  INSERT INTO documents (tenant_id, organization_id, document_id, document_name, metadata)
  SELECT :tenant, 'acme', 'document-' || n, 'Document ' || n, jsonb_build_object('number', n)
  FROM generate_series(0, :count - 1) AS n`;
