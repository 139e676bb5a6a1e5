import type { KeyContext } from '../../api/context.ts';
import { mapInChunks } from '../../platform/chunks.ts';
import { type Queryable, type Sql, sql } from '../../platform/database/database.ts';
import type { NewEvent } from '../../platform/events/event-log.ts';
import type { AccessContext } from '../access/access-context.ts';
import { loadPresentedAnnotations } from '../comments/load-annotations.ts';
import { showAnnotation } from '../comments/show-annotation.ts';
import { showPerson } from '../users/show-person.ts';
import { fillHeadline } from './fill-headline.ts';
import type { PresentedNotification } from './schema.ts';

type User = PresentedNotification['actionUser'];

/** The fields of a notification that are stored as JSON. */
export interface NotificationContent {
  /** Always empty. Processes of earlier versions still read it while a new version is being deployed. */
  sourceData: Record<string, unknown>;
  actionUser: User;
  template: string;
  templateData: Record<string, string | User>;
  body: string;
  /** The id of the comment whose text is the body. The body is deleted with the comment. */
  bodyCommentId?: number | undefined;
  /** The comments, if the notification is only about comments. It is deleted with the last of them. */
  commentIds?: number[] | undefined;
  location?: Record<string, unknown> | undefined;
}

export interface NotificationRow {
  organizationId: string;
  notificationId: string;
  documentId: string;
  locationId: string | null;
  /** Epoch milliseconds. The driver returns the type `bigint` as text. */
  createdMs: string;
  source: string;
  /** The source annotation of a generated notification. */
  annotationId: string | null;
  access: AccessContext | null;
  content: NotificationContent;
  recipientIds: string[];
}

export interface InboxRow extends NotificationRow {
  isRead: boolean;
  /** Whether the source annotation, if any, still exists and its visibility includes the recipient now. */
  isShown: boolean;
  recipient: User;
}

/** SQL: the columns of a `NotificationRow` and its position, from the row `n` and its source annotation `a`. */
export const notificationColumns: Sql = sql`
  n.organization_id AS "organizationId", n.notification_id AS "notificationId",
  n.document_id AS "documentId", n.location_id AS "locationId", n.created_ms AS "createdMs",
  n.position, n.source, n.annotation_id AS "annotationId", COALESCE(n.access, a.access) AS access, n.content,
  ARRAY(SELECT other.user_id FROM notification_recipients other
        WHERE other.tenant_id = n.tenant_id AND other.organization_id = n.organization_id
          AND other.notification_id = n.notification_id
        ORDER BY other.user_id) AS "recipientIds"`;

/**
 * Presents notifications. Source annotations are shown as they are now, without comments that were
 * deleted since. Runs one statement, or none if no row has a source annotation.
 */
export async function presentNotifications(
  ctx: Caller & { db: Queryable },
  rows: Array<NotificationRow | InboxRow>,
): Promise<PresentedNotification[]> {
  const ids = rows.flatMap(({ annotationId }) => annotationId ?? []);
  const sources = await loadPresentedAnnotations(ctx.db, ctx.tenantId, [...new Set(ids)]);
  return mapInChunks(rows, (row) =>
    presentNotification(ctx, row, sources.get(row.annotationId ?? '')),
  );
}

/** The reader of a notification. Events are for API keys, so they have no user. */
type Caller = Pick<KeyContext, 'tenantId' | 'userId'>;

/**
 * Returns the notification of specification 2.12, with users as the caller may see them.
 *
 * @param source the annotation from which the notification was generated, if it still exists
 */
function presentNotification(
  caller: Caller,
  row: NotificationRow | InboxRow,
  source: Record<string, unknown> = {},
): PresentedNotification {
  const { organizationId, documentId, content, recipientIds } = row;
  const templateData = Object.fromEntries(
    Object.entries(content.templateData).map(([name, value]) => [
      name,
      typeof value === 'string' ? value : showPerson(caller, value),
    ]),
  );
  // The server fills in these values itself. Values that came with the template take precedence.
  const values = {
    actionUser: showPerson(caller, content.actionUser),
    ...('recipient' in row && { recipientUser: row.recipient }),
  };
  const recipients = Object.fromEntries(recipientIds.map((userId) => [userId, true as const]));
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
    notifyUsers: recipients,
    notifyUsersByUserId: recipients,
    timestamp: Number(row.createdMs),
    ...(content.location && { location: content.location }),
    ...(row.locationId !== null && { locationId: row.locationId }),
    ...(row.access && { context: { access: row.access } }),
    ...('isRead' in row && { isRead: row.isRead }),
  };
}

/** Returns the event about a new notification. `source`: the annotation from which it was generated, if any. */
export const notificationAddedEvent = (
  tenantId: string,
  row: NotificationRow,
  channels: string[],
  source?: Record<string, unknown>,
): NewEvent => ({
  type: 'notification.add',
  organizationId: row.organizationId,
  documentId: row.documentId,
  channels,
  data: presentNotification({ tenantId, userId: undefined }, row, source),
});
