import type { Pool } from 'pg';

interface Query {
  organizationId: string;
  documentIds: string[];
}

interface Row {
  document_id: string;
  document_name: string;
  disabled: boolean;
  access_type: string;
  metadata: object;
}

export async function getDocuments(
  pool: Pool,
  tenantId: string,
  { organizationId, documentIds }: Query,
) {
  const { rows } = await pool.query<Row>({
    name: 'get-documents',
    text: `SELECT document_id, document_name, disabled, access_type, metadata FROM documents
           WHERE tenant_id = $1 AND organization_id = $2 AND document_id = ANY($3)
           ORDER BY document_id LIMIT 1001`,
    values: [tenantId, organizationId, documentIds],
  });
  return {
    status: 'success',
    message: 'Document(s) retrieved successfully.',
    data: rows.map((row) => ({
      ...row.metadata,
      id: row.document_id,
      documentName: row.document_name,
      disabled: row.disabled,
      accessType: row.access_type,
    })),
  };
}
