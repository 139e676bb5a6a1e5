import type { Pool } from 'pg';
import { type FullAnnotation, fullColumns } from '../../../src/features/comments/annotation-row.ts';
import { presentAnnotation } from '../../../src/features/comments/present.ts';
import { sql } from '../../../src/platform/database/database.ts';

interface Query {
  organizationId: string;
  documentId: string;
  pageSize: number;
}

/** One query, and the JSON of its rows. */
export async function getAnnotations(
  pool: Pool,
  tenantId: string,
  { organizationId, documentId, pageSize }: Query,
) {
  const { text, values } = sql`
    SELECT ${fullColumns(tenantId)} FROM comment_annotations a
    WHERE a.tenant_id = ${tenantId} AND a.organization_id = ${organizationId}
      AND a.document_id = ${documentId}
    ORDER BY a.last_updated DESC, a.annotation_id DESC LIMIT ${pageSize + 1}`;
  const { rows } = await pool.query<FullAnnotation>({ name: 'get-annotations', text, values });
  return {
    status: 'success',
    message: 'Comment annotation(s) retrieved successfully.',
    data: rows.map((row) => presentAnnotation(tenantId, row)),
  };
}
