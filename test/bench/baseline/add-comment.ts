import type { Pool } from 'pg';

/**
 * The bare rows of a comment, its notification and the inboxes of its recipients, in one
 * statement. It looks up nothing and publishes nothing.
 */
export async function insertComment(
  pool: Pool,
  tenantId: string,
  { annotationId, number, userIds }: { annotationId: string; number: number; userIds: string[] },
): Promise<void> {
  const author = JSON.stringify({ userId: 'author' });
  const content = JSON.stringify({ commentText: `Comment ${number}` });
  await pool.query({
    name: 'insert-comment',
    text: `
      WITH commented AS (
        INSERT INTO comments (tenant_id, annotation_id, comment_id, author_id, from_user, content,
          created_at, last_updated)
        VALUES ($1, $2, $3, 'author', $4, $5, $3, $3)
      ), notified AS (
        INSERT INTO notifications (tenant_id, organization_id, notification_id, document_id,
          created_ms, source, annotation_id, content)
        VALUES ($1, 'acme', 'n-' || $3, 'document', $3, 'comment', $2, $5)
        RETURNING position
      )
      INSERT INTO notification_recipients (tenant_id, organization_id, notification_id, user_id,
        document_id, created_ms, position)
      SELECT $1, 'acme', 'n-' || $3, user_id, 'document', $3, position
      FROM notified, unnest($6::text[]) AS user_id`,
    values: [tenantId, annotationId, number, author, content, userIds],
  });
}
