import { type Queryable, type Sql, sql } from '../../platform/database/database.ts';
import type { NewEvent } from '../../platform/events/event-log.ts';
import { loadAnnotations } from '../comments/load-annotations.ts';
import { documentChannels } from '../documents/hold-document.ts';
import type { AccessContext } from '../permissions/access-context.ts';
import { fillHeadline, type HeadlineValue } from './headline.ts';
import type { PresentedNotification } from './schema.ts';

type User = PresentedNotification['actionUser'];

/** What a notification says: the part of its row that nothing is looked up by. */
export interface NotificationContent {
  sourceData: Record<string, unknown>;
  actionUser: User;
  template: string;
  templateData: Record<string, string | User>;
  body: string;
  /** The comments that it is about, and goes with; absent where it is about more than comments. */
  commentIds?: number[] | undefined;
  location?: Record<string, unknown> | undefined;
}

export interface NotificationRow {
  organizationId: string;
  notificationId: string;
  documentId: string;
  locationId: string | null;
  /** Epoch milliseconds, as PostgreSQL writes large numbers. */
  createdMs: string;
  source: string;
  /** What it is about, where the product made it. */
  annotationId: string | null;
  access: AccessContext | null;
  content: NotificationContent;
  recipientIds: string[];
}

/** A notification in somebody's inbox. */
export interface InboxRow extends NotificationRow {
  isRead: boolean;
  /** Whether what it is about is there, and its visibility lets the recipient see it now. */
  isShown: boolean;
  recipient: User;
}

/** Columns of `notifications n`, with the annotation `a` that it is about. */
export const notificationColumns: Sql = sql`
  n.organization_id AS "organizationId", n.notification_id AS "notificationId",
  n.document_id AS "documentId", n.location_id AS "locationId", n.created_ms AS "createdMs",
  n.source, n.annotation_id AS "annotationId", COALESCE(n.access, a.access) AS access, n.content,
  ARRAY(SELECT other.user_id FROM notification_recipients other
        WHERE other.tenant_id = n.tenant_id AND other.organization_id = n.organization_id
          AND other.notification_id = n.notification_id
        ORDER BY other.user_id) AS "recipientIds"`;

/**
 * Notifications as they are read. What they are about is shown as it is now: so nothing stays that
 * was deleted or hidden since. One statement, none where callers made them all.
 */
export async function presentNotifications(
  db: Queryable,
  tenantId: string,
  rows: Array<NotificationRow | InboxRow>,
): Promise<PresentedNotification[]> {
  const ids = rows.flatMap(({ annotationId }) => annotationId ?? []);
  const sources = await loadAnnotations(db, tenantId, [...new Set(ids)]);
  return rows.map((row) => presentNotification(tenantId, row, sources.get(row.annotationId ?? '')));
}

/** The notification of specification 2.12. */
export function presentNotification(
  tenantId: string,
  row: NotificationRow | InboxRow,
  source: Record<string, unknown> = row.content.sourceData,
): PresentedNotification {
  const { organizationId, documentId, content, recipientIds } = row;
  const everybody = Object.fromEntries(recipientIds.map((userId) => [userId, true as const]));
  return {
    id: row.notificationId,
    notificationSource: row.source,
    notificationSourceData: source,
    actionUser: content.actionUser,
    displayHeadlineMessageTemplate: content.template,
    displayHeadlineMessageTemplateData: content.templateData,
    displayHeadlineMessage: fillHeadline(content.template, headlineValues(row)),
    displayBodyMessage: content.body,
    metadata: { apiKey: tenantId, organizationId, documentId },
    notifyUsers: everybody,
    notifyUsersByUserId: everybody,
    timestamp: Number(row.createdMs),
    ...(content.location && { location: content.location }),
    ...(row.locationId !== null && { locationId: row.locationId }),
    ...(row.access && { context: { access: row.access } }),
    ...('isRead' in row && { isRead: row.isRead }),
  };
}

/** What the caller gives goes before what the server knows by itself. */
const headlineValues = (row: NotificationRow | InboxRow): Record<string, HeadlineValue> => ({
  actionUser: row.content.actionUser,
  ...('recipient' in row && { recipientUser: row.recipient }),
  ...row.content.templateData,
});

export const notificationAdded = (
  tenantId: string,
  row: NotificationRow,
  folderId: string | null,
): NewEvent => ({
  type: 'notification.add',
  organizationId: row.organizationId,
  documentId: row.documentId,
  channels: documentChannels(row, folderId, row.content.actionUser.userId),
  data: presentNotification(tenantId, row),
});
