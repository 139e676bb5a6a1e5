import { type Sql, sql } from '../../platform/database/database.ts';
import type { NewEvent } from '../../platform/events/event-log.ts';
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
  access: AccessContext | null;
  content: NotificationContent;
  recipientIds: string[];
}

/** A notification in somebody's inbox. */
export interface InboxRow extends NotificationRow {
  isRead: boolean;
  recipient: User;
}

/** Columns of `notifications n`. */
export const notificationColumns: Sql = sql`
  n.organization_id AS "organizationId", n.notification_id AS "notificationId",
  n.document_id AS "documentId", n.location_id AS "locationId", n.created_ms AS "createdMs",
  n.source, n.access, n.content,
  ARRAY(SELECT other.user_id FROM notification_recipients other
        WHERE other.tenant_id = n.tenant_id AND other.organization_id = n.organization_id
          AND other.notification_id = n.notification_id
        ORDER BY other.user_id) AS "recipientIds"`;

/** The notification of specification 2.12. */
export function presentNotification(
  tenantId: string,
  row: NotificationRow | InboxRow,
): PresentedNotification {
  const { organizationId, documentId, content, recipientIds } = row;
  const everybody = Object.fromEntries(recipientIds.map((userId) => [userId, true as const]));
  return {
    id: row.notificationId,
    notificationSource: row.source,
    notificationSourceData: content.sourceData,
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
