import { randomUUID } from 'node:crypto';
import type { Pool } from 'pg';

interface Input {
  organizationId: string;
  documentId: string;
  users: Array<{ userId: string; status: string }>;
}

/** Stores the presence of a user, and one event, with one statement. */
export async function updatePresence(
  pool: Pool,
  tenantId: string,
  { organizationId, documentId, users: [user] }: Input,
) {
  const channels = [
    `organization:${organizationId}`,
    `document:${documentId}`,
    `user:${user?.userId}`,
  ];
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
      tenantId,
      organizationId,
      documentId,
      user?.userId,
      user?.status,
      randomUUID(),
      channels,
      JSON.stringify(user),
    ],
  });
  return { status: 'success', message: 'Presence updated successfully.', data: { success: true } };
}
