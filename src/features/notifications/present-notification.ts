import type { KeyContext } from '../../api/context.ts';
import { type Queryable, type Sql, sql } from '../../platform/database/database.ts';
import type { NewEvent } from '../../platform/events/event-log.ts';
import { mapInPieces } from '../../platform/turns.ts';
import type { AccessContext } from '../access/access-context.ts';
import { loadAnnotations } from '../comments/load-annotations.ts';
import { showAnnotation } from '../comments/show-annotation.ts';
import { documentChannels } from '../directory/documents/hold-document.ts';
import { showPerson } from '../users/show-person.ts';
import { fillHeadline } from './headline.ts';
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
  ctx: Caller & { db: Queryable },
  rows: Array<NotificationRow | InboxRow>,
): Promise<PresentedNotification[]> {
  const ids = rows.flatMap(({ annotationId }) => annotationId ?? []);
  const sources = await loadAnnotations(ctx.db, ctx.tenantId, [...new Set(ids)]);
  return mapInPieces(rows, (row) =>
    presentNotification(ctx, row, sources.get(row.annotationId ?? '')),
  );
}

/** Who is shown a notification; events, which only API keys read, show it to no user. */
type Caller = Pick<KeyContext, 'tenantId' | 'userId'>;

/** The notification of specification 2.12, with people as the caller is shown them. */
export function presentNotification(
  caller: Caller,
  row: NotificationRow | InboxRow,
  source: Record<string, unknown> = row.content.sourceData,
): PresentedNotification {
  const { organizationId, documentId, content, recipientIds } = row;
  const templateData = showTemplateData(caller, content.templateData);
  // What the server knows by itself; what the maker of the template gave goes before it.
  const values = {
    actionUser: showPerson(caller, content.actionUser),
    ...('recipient' in row && { recipientUser: row.recipient }),
  };
  const everybody = Object.fromEntries(recipientIds.map((userId) => [userId, true as const]));
  return {
    id: row.notificationId,
    notificationSource: row.source,
    notificationSourceData: showAnnotation(caller, source),
    actionUser: values.actionUser,
    displayHeadlineMessageTemplate: content.template,
    displayHeadlineMessageTemplateData: templateData,
    displayHeadlineMessage: fillHeadline(content.template, { ...values, ...templateData }),
    displayBodyMessage: content.body,
    metadata: { apiKey: caller.tenantId, organizationId, documentId },
    notifyUsers: everybody,
    notifyUsersByUserId: everybody,
    timestamp: Number(row.createdMs),
    ...(content.location && { location: content.location }),
    ...(row.locationId !== null && { locationId: row.locationId }),
    ...(row.access && { context: { access: row.access } }),
    ...('isRead' in row && { isRead: row.isRead }),
  };
}

function showTemplateData(
  caller: Caller,
  data: NotificationContent['templateData'],
): NotificationContent['templateData'] {
  const show = (value: string | User) =>
    typeof value === 'string' ? value : showPerson(caller, value);
  return Object.fromEntries(Object.entries(data).map(([name, value]) => [name, show(value)]));
}

export const notificationAdded = (
  tenantId: string,
  row: NotificationRow,
  folderId: string | null,
): NewEvent => ({
  type: 'notification.add',
  organizationId: row.organizationId,
  documentId: row.documentId,
  channels: documentChannels(row, folderId, row.content.actionUser.userId),
  data: presentNotification({ tenantId, userId: undefined }, row),
});
