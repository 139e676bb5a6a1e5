import { createHash } from 'node:crypto';
import { listToJson } from '../../platform/chunks.ts';
import { empty, type Sql, sql, type Transaction } from '../../platform/database/database.ts';
import { retryOnViolation } from '../../platform/database/lost-races.ts';
import { pipeline } from '../../platform/database/pipeline.ts';
import type { NamedUser } from '../access/ensure-membership.ts';
import type { NotificationRow } from './present-notification.ts';

const FOREIGN_KEYS = [
  'notifications_tenant_id_organization_id_document_id_fkey',
  'notification_recipients_tenant_id_user_id_fkey',
] as const;

/**
 * Writes notifications and puts them into the inboxes of their recipients: two statements, whatever
 * the number. Notifications with a taken id are left out.
 *
 * @returns the ids of those that are new.
 */
export async function insertNotifications(
  tx: Transaction,
  tenantId: string,
  notifications: NotificationRow[],
  recipients: NamedUser[],
): Promise<Set<string>> {
  const insertion = await insertionOf(tenantId, notifications, sql`ON CONFLICT DO NOTHING`);
  const [, added] = await pipeline([
    tx.query(missingUsers(tenantId, recipients)),
    retryOnViolation(tx.query<{ notificationId: string }>(insertion), FOREIGN_KEYS),
  ]);
  return new Set(added.map((row) => row.notificationId));
}

/**
 * The same for one notification whose id is free, at the end of the transaction, which is retried if
 * another one takes the id first.
 */
export async function insertNotification(
  tx: Transaction,
  tenantId: string,
  notification: NotificationRow,
  recipients: NamedUser[],
): Promise<void> {
  const insertion = await insertionOf(tenantId, [notification], empty);
  tx.beforeCommit(missingUsers(tenantId, recipients));
  tx.beforeCommit(insertion, { retryOn: ['notifications_pkey', ...FOREIGN_KEYS] });
}

/** SQL that inserts in the given order, in which lists show notifications with equal times. */
async function insertionOf(
  tenantId: string,
  notifications: NotificationRow[],
  onConflict: Sql,
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
    SELECT notification_id AS "notificationId" FROM added`;
}

/** A short hash of the location id for indexes, whose rows have limited room. */
export const locationHash = (locationId: string): string =>
  createHash('sha256').update(locationId).digest('base64url').slice(0, 22);

/**
 * SQL that creates unknown recipients as users without a role, since an inbox belongs to a user. So
 * they find their notifications when they first sign in. Known users are not changed.
 */
function missingUsers(tenantId: string, users: NamedUser[]): Sql {
  const rows = [...new Map(users.map((user) => [user.userId, user])).values()];
  return sql`
    INSERT INTO users (tenant_id, user_id, name, email)
    SELECT ${tenantId}, "userId", name, email
    FROM jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) AS named(
      "userId" text, name text, email text)
    ORDER BY "userId"
    ON CONFLICT DO NOTHING`;
}
