import type { KeyContext } from '../../api/context.ts';
import { empty, type Queryable, type Sql, sql } from '../../platform/database/database.ts';
import { locationHash } from './insert-notifications.ts';
import { afterPosition, inOrder, type Order, type Position } from './position.ts';
import {
  type InboxRow,
  type NotificationRow,
  notificationColumns,
} from './present-notification.ts';
import { isSourceIncluded, joinSource, sourceExists } from './source-annotation.ts';
import type { NotificationFilters } from './valid-filters.ts';

export interface NotificationQuery extends NotificationFilters {
  tenantId: string;
  organizationId: string;
  order: Order;
}

interface Slice {
  after: Position | undefined;
  limit: number;
}

const n = sql`n`;
const r = sql`r`;

/** The notifications of a document, for any recipient. */
export const selectOfDocument = (
  db: Queryable,
  query: NotificationQuery,
  { after, limit }: Slice,
): Promise<Array<NotificationRow & Position>> =>
  db.query(sql`
    SELECT ${notificationColumns}, n.position FROM notifications n ${joinSource(query.tenantId)}
    WHERE n.tenant_id = ${query.tenantId} AND n.organization_id = ${query.organizationId}
      AND ${sourceExists} ${filters(n, query)} ${afterPosition(n, query.order, after)}
    ${inOrder(n, query.order)} LIMIT ${limit}`);

/** The inbox of one user, with notifications that the user may not see. */
export async function selectInbox(
  ctx: Pick<KeyContext, 'db' | 'tenantId' | 'clock'>,
  query: NotificationQuery & { userId: string },
  { after, limit }: Slice,
): Promise<Array<InboxRow & Position>> {
  type Row = Omit<InboxRow, 'recipient'> & Position & { name: string | null; email: string | null };
  const rows = await ctx.db.query<Row>(sql`
    SELECT ${notificationColumns}, r.position, r.read_ms IS NOT NULL AS "isRead", u.name, u.email,
           ${isSourceIncluded(ctx, query.userId)} AS "isShown"
    FROM notification_recipients r
    JOIN notifications n ON n.tenant_id = r.tenant_id AND n.organization_id = r.organization_id
      AND n.notification_id = r.notification_id
    ${joinSource(query.tenantId)}
    JOIN users u ON u.tenant_id = r.tenant_id AND u.user_id = r.user_id
    WHERE r.tenant_id = ${query.tenantId} AND r.user_id = ${query.userId}
      AND r.organization_id = ${query.organizationId}
      ${filters(r, query)} ${afterPosition(r, query.order, after)}
    ${inOrder(r, query.order)} LIMIT ${limit}`);
  return rows.map(({ name, email, ...row }) => ({
    ...row,
    recipient: { userId: query.userId, ...(name && { name }), ...(email && { email }) },
  }));
}

/** SQL: the filters. Both tables hold the columns, so that one index filters and orders. */
function filters(table: Sql, query: NotificationQuery): Sql {
  const { documentId, locationId, notificationIds } = query;
  const onDocument =
    documentId === undefined ? empty : sql`AND ${table}.document_id = ${documentId}`;
  const atLocation =
    locationId === undefined
      ? empty
      : sql`AND ${table}.location_hash = ${locationHash(String(locationId))}`;
  const byIds = notificationIds?.length
    ? sql`AND ${table}.notification_id = ANY(${notificationIds})`
    : empty;
  return sql`${onDocument} ${atLocation} ${byIds}`;
}
