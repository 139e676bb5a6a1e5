import { randomUUID } from 'node:crypto';
import type { Pool } from 'pg';
import { type FullAnnotation, fullColumns } from '../../../src/features/comments/annotation-row.ts';
import { presentAnnotation } from '../../../src/features/comments/present-annotation.ts';
import { sql } from '../../../src/platform/database/database.ts';

interface Place {
  organizationId: string;
  documentId: string;
}

export async function getWebhookSetting(pool: Pool, tenantId: string) {
  const { rows } = await pool.query<{ isEnabled: boolean }>({
    name: 'get-webhook-setting',
    text: `SELECT use_advanced_webhooks AS "isEnabled" FROM service_settings WHERE tenant_id = $1`,
    values: [tenantId],
  });
  return {
    status: 'success',
    message: 'Advanced webhook config retrieved successfully.',
    data: rows[0],
  };
}

export async function getDocuments(
  pool: Pool,
  tenantId: string,
  { organizationId, documentIds }: { organizationId: string; documentIds: string[] },
) {
  const { rows } = await pool.query({
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

/** One query, and the JSON of its rows. */
export async function getAnnotations(
  pool: Pool,
  tenantId: string,
  { organizationId, documentId, pageSize }: Place & { pageSize: number },
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

/** Stores the presence of a user, and one event, with one statement. */
export async function updatePresence(
  pool: Pool,
  tenantId: string,
  {
    organizationId,
    documentId,
    users: [user],
  }: Place & { users: Array<{ userId: string; status: string }> },
) {
  await pool.query({
    name: 'update-presence',
    text: `
      WITH present AS (
        INSERT INTO presence
          (tenant_id, organization_id, document_id, user_id, status, seen_at, lapsed)
        VALUES ($1, $2, $3, $4, $5, now(), false)
        ON CONFLICT (tenant_id, organization_id, document_id, user_id)
          DO UPDATE SET status = excluded.status, seen_at = excluded.seen_at, lapsed = false
      )
      INSERT INTO event_outbox
        (tenant_id, id, type, organization_id, document_id, channels, data, created_at)
      VALUES ($1, $6, 'presence.update', $2, $3, $7, $8, now())`,
    values: [
      ...[tenantId, organizationId, documentId, user?.userId, user?.status, randomUUID()],
      [`organization:${organizationId}`, `document:${documentId}`, `user:${user?.userId}`],
      JSON.stringify(user),
    ],
  });
  return { status: 'success', message: 'Presence updated successfully.', data: { success: true } };
}

interface NewAnnotation {
  annotationId: string;
  commentData: Array<{ commentText: string; from: { userId: string } }>;
}

/** Stores an annotation with its comment, its author as a subscriber, and one event. */
export async function addAnnotation(
  pool: Pool,
  tenantId: string,
  {
    organizationId,
    documentId,
    commentAnnotations: [annotation],
  }: Place & { commentAnnotations: NewAnnotation[] },
) {
  const { annotationId = '', commentData: [comment] = [] } = annotation ?? {};
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
      ...[tenantId, organizationId, documentId, annotationId, comment?.from.userId],
      JSON.stringify(comment?.from),
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
