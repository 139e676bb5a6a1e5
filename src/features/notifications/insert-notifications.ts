import { createHash } from 'node:crypto';
import { listToJson } from '../../platform/chunks.ts';
import { empty, type Sql, sql } from '../../platform/database/database.ts';
import type { NamedUser } from '../access/ensure-membership.ts';
import type { NotificationRow } from './present-notification.ts';

/** The constraints that inserting notifications violates if another transaction comes first. */
export const NOTIFICATION_CONSTRAINTS = [
  'notifications_pkey',
  'notifications_tenant_id_organization_id_document_id_fkey',
  'notification_recipients_tenant_id_user_id_fkey',
] as const;

/**
 * SQL that writes notifications and puts them into the inboxes of their recipients, whom
 * `insertRecipientsSql` creates first. It returns the ids of the new notifications. Lists show
 * notifications of the same time in the order in which they are given here.
 *
 * @param onConflict SQL: the ON CONFLICT clause for ids that exist. Without it, the statement fails.
 */
export async function insertNotificationsSql(
  tenantId: string,
  notifications: NotificationRow[],
  onConflict = empty,
): Promise<Sql> {
  const rows = notifications.map((row, number) => ({
    ...row,
    number,
    locationHash: row.locationId === null ? null : locationHash(row.locationId),
  }));
  return sql`
    WITH input AS (
      SELECT * FROM jsonb_to_recordset(${await listToJson(rows)}::jsonb) AS n(
        number int, "organizationId" text, "notificationId" text, "documentId" text,
        "locationId" text, "locationHash" text, "createdMs" bigint, source text,
        "annotationId" text, access jsonb, content jsonb, "recipientIds" text[])
    ), added AS (
      INSERT INTO notifications (tenant_id, organization_id, notification_id, document_id,
        location_id, location_hash, created_ms, source, annotation_id, access, content)
      SELECT ${tenantId}, "organizationId", "notificationId", "documentId", "locationId",
             "locationHash", "createdMs", source, "annotationId", access, content
      FROM input ORDER BY number
      ${onConflict}
      RETURNING organization_id, notification_id, position
    ), delivered AS (
      INSERT INTO notification_recipients (tenant_id, organization_id, notification_id, user_id,
        document_id, location_hash, created_ms, position)
      SELECT ${tenantId}, organization_id, notification_id, recipient_id, "documentId",
             "locationHash", "createdMs", position
      FROM added JOIN input
        ON "organizationId" = organization_id AND "notificationId" = notification_id,
        unnest("recipientIds") AS recipient_id
      ORDER BY recipient_id
    )
    SELECT notification_id AS id FROM added`;
}

/** Returns a short hash of the location id, for indexes: their entries have limited room. */
export const locationHash = (locationId: string): string =>
  createHash('sha256').update(locationId).digest('base64url').slice(0, 22);

/**
 * SQL that creates unknown recipients as users without a role, since an inbox must belong to a user.
 * They find their notifications when they first sign in. Known users are not changed.
 */
export function insertRecipientsSql(tenantId: string, users: NamedUser[]): Sql {
  const rows = [...new Map(users.map((user) => [user.userId, user])).values()];
  return sql`
    INSERT INTO users (tenant_id, user_id, name, email)
    SELECT ${tenantId}, "userId", name, email
    FROM jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) AS named(
      "userId" text, name text, email text)
    ORDER BY "userId"
    ON CONFLICT DO NOTHING`;
}
