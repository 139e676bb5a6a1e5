import { randomUUID } from 'node:crypto';
import type { Pool } from 'pg';

interface Input {
  organizationId: string;
  documentId: string;
  commentAnnotations: Array<{
    annotationId: string;
    commentData: Array<{ commentText: string; from: { userId: string } }>;
  }>;
}

/** Stores an annotation with its comment, its author as a subscriber, and one event. */
export async function addAnnotation(
  pool: Pool,
  tenantId: string,
  { organizationId, documentId, commentAnnotations: [annotation] }: Input,
) {
  const { annotationId = '', commentData = [] } = annotation ?? {};
  const [comment] = commentData;
  const from = comment?.from ?? { userId: '' };
  await pool.query({
    name: 'add-annotation',
    text: `
      WITH numbered AS (
        INSERT INTO annotation_counters (tenant_id, organization_id, document_id, last_number)
        VALUES ($1, $2, $3, 1)
        ON CONFLICT (tenant_id, organization_id, document_id)
          DO UPDATE SET last_number = annotation_counters.last_number + 1
        RETURNING last_number
      ), annotated AS (
        INSERT INTO comment_annotations (tenant_id, organization_id, document_id, annotation_id,
          annotation_number, type, author_id, from_user, status_id, status, visibility, created_at,
          last_updated, last_comment_at, last_comment_by, next_comment_id)
        SELECT $1, $2, $3, $4, last_number, 'comment', $5, $6, 'OPEN',
          '{"id": "OPEN", "name": "Open", "type": "default"}', '{"type": "public"}', $7, $7, $7, $5, 2
        FROM numbered
      ), commented AS (
        INSERT INTO comments (tenant_id, annotation_id, comment_id, author_id, from_user, content,
          created_at, last_updated)
        VALUES ($1, $4, 1, $5, $6, $8, $7, $7)
      ), subscribed AS (
        INSERT INTO annotation_users (tenant_id, annotation_id, user_id, organization_id, "user",
          subscription, last_updated)
        VALUES ($1, $4, $5, $2, $6, 'auto', $7)
      )
      INSERT INTO event_outbox
        (tenant_id, id, type, organization_id, document_id, channels, data, created_at)
      VALUES ($1, $9, 'comment_annotation.add', $2, $3, $10, $11, now())`,
    values: [
      tenantId,
      organizationId,
      documentId,
      annotationId,
      from.userId,
      JSON.stringify(from),
      Date.now(),
      JSON.stringify({ commentText: comment?.commentText }),
      randomUUID(),
      [`organization:${organizationId}`, `document:${documentId}`],
      JSON.stringify(annotation),
    ],
  });
  const message = 'Annotation added.';
  return {
    status: 'success',
    message: 'Comment annotation(s) added successfully.',
    data: { [annotationId]: { success: true, annotationId, commentIds: [1], message } },
  };
}
