import type { KeyContext } from '../../api/context.ts';
import { rowsAmong } from '../../api/paging.ts';
import { empty, type Sql, sql } from '../../platform/database/database.ts';
import { filterVisibleItems } from '../access/on-document.ts';
import { isIncluded } from '../comments/visibility/rule-sql.ts';
import { locationHash } from './insert-notifications.ts';
import {
  type InboxRow,
  type NotificationRow,
  notificationColumns,
} from './present-notification.ts';
import type { GetNotificationsInput } from './schema.ts';

export type NotificationQuery = Omit<GetNotificationsInput, 'pageSize' | 'pageToken'>;

export interface Inbox {
  organizationId: string;
  userId: string;
}

interface Page {
  /** The key of the row before the page, as page tokens contain it: its time, then its position. */
  after: string[] | undefined;
  pageSize: number;
}

/** A row with its position, by which rows of the same time are sorted. */
type Positioned<Row> = Row & { position: string };

/** `next` is the key after which the next page begins; undefined on the last page. */
interface RowPage<Row> {
  rows: Row[];
  next: string[] | undefined;
}

/**
 * SQL: joins the annotation `a` that the notification `n` is about, as it is now. Here and below, OFFSET 0
 * makes PostgreSQL look up each row by its whole key. Otherwise PostgreSQL would read all rows of the
 * organization each time while the table has no statistics.
 */
const joinSource = ({ tenantId }: KeyContext): Sql => sql`
    LEFT JOIN LATERAL (
      SELECT * FROM comment_annotations
      WHERE tenant_id = ${tenantId} AND annotation_id = n.annotation_id OFFSET 0) a
      ON a.organization_id = n.organization_id AND a.document_id = n.document_id`;

export const NOTIFICATION_ID = sql`notification_id`;

/** The rows of an inbox that a statement reads. */
interface InboxSelection {
  idColumn: Sql;
  /** The values of that column that a call names. Undefined: the whole inbox. */
  ids: string[] | undefined;
  /** SQL: `AND` and a further condition. */
  where?: Sql;
  lock?: Sql;
}

/** SQL: FROM and WHERE of the rows `r` of an inbox, with notifications `n` and their sources `a`. */
export const fromInbox = (
  ctx: KeyContext,
  { organizationId, userId }: Inbox,
  { ids, where = empty, ...idColumnAndLock }: InboxSelection,
): Sql => sql`
    FROM ${rowsAmong(
      {
        table: sql`notification_recipients`,
        where: sql`tenant_id = ${ctx.tenantId} AND organization_id = ${organizationId}
          AND user_id = ${userId} ${where}`,
        ...idColumnAndLock,
      },
      ids,
    )} r
    CROSS JOIN LATERAL (
      SELECT * FROM notifications
      WHERE tenant_id = r.tenant_id AND organization_id = r.organization_id
        AND notification_id = r.notification_id OFFSET 0) n
    ${joinSource(ctx)}
    WHERE true`;

/**
 * SQL: the source annotation, if there is one, still exists and its visibility includes the user now.
 * This is step 3 of the rule in comments/visibility. `filterVisibleItems` checks steps 1 and 2, document
 * and access context, for all notifications alike.
 */
export const isSourceVisible = (
  ctx: KeyContext,
  userId: string,
): Sql => sql`(n.annotation_id IS NULL
      OR (a.annotation_id IS NOT NULL AND ${isIncluded(ctx, userId)}))`;

/** Reads a page of a document's notifications, whoever their recipients are. */
export async function readDocumentNotifications(
  ctx: KeyContext,
  query: NotificationQuery,
  { after, pageSize }: Page,
): Promise<RowPage<NotificationRow>> {
  const notifications = {
    table: sql`notifications`,
    where: sql`tenant_id = ${ctx.tenantId} AND organization_id = ${query.organizationId}`,
    idColumn: NOTIFICATION_ID,
  };
  const found = await ctx.db.query<Positioned<NotificationRow>>(sql`
    SELECT ${notificationColumns}
    FROM ${rowsAmong(notifications, query.notificationIds)} n ${joinSource(ctx)}
    WHERE (n.annotation_id IS NULL OR a.annotation_id IS NOT NULL)
      ${pageClauses(sql`n`, query, after)} LIMIT ${pageSize + 1}`);
  return pageFrom(found, pageSize);
}

/** How often rows are read to fill a page. If too many are hidden, the page is then returned unfilled. */
const MAX_ROUNDS = 5;
/** The fewest rows that are read at once: many of them may be hidden. */
const MIN_ROWS_READ = 100;

/**
 * Reads a page of the notifications in an inbox that the user may see now. The access to the document,
 * the access context, and the visibility of the source annotation decide this. With `withHidden`, reads
 * a page of all notifications in the inbox.
 */
export async function readInbox(
  ctx: KeyContext,
  query: NotificationQuery & Inbox,
  { after, pageSize }: Page,
  { withHidden = false } = {},
): Promise<RowPage<InboxRow>> {
  const { tenantId, db } = ctx;
  const limit = Math.max(pageSize + 1, MIN_ROWS_READ);
  const found: Array<Positioned<InboxRow>> = [];
  let from = after;
  for (let round = 0; round < MAX_ROUNDS; round++) {
    const read = await db.query<Positioned<InboxRow>>(sql`
      SELECT ${notificationColumns}, r.read_ms IS NOT NULL AS "isRead",
             ${isSourceVisible(ctx, query.userId)} AS "isShown", (
        SELECT json_strip_nulls(json_build_object('userId', user_id, 'name', NULLIF(name, ''),
          'email', NULLIF(email, '')))
        FROM users WHERE tenant_id = ${tenantId} AND user_id = ${query.userId}) AS recipient
      ${fromInbox(ctx, query, { idColumn: NOTIFICATION_ID, ids: query.notificationIds })}
      ${pageClauses(sql`r`, query, from)} LIMIT ${limit}`);
    const shown = read.filter((row) => row.isShown);
    found.push(...(withHidden ? read : await filterVisibleItems(ctx, db, query, shown)));
    if (found.length > pageSize || read.length < limit) return pageFrom(found, pageSize);
    from = lastKey(read);
  }
  return { rows: found, next: from };
}

function lastKey(rows: Array<Positioned<NotificationRow>>): string[] | undefined {
  const last = rows.at(-1);
  return last && [last.createdMs, last.position];
}

/** Returns a page of the first rows. If more rows were found, there is a next page. */
function pageFrom<Row extends Positioned<NotificationRow>>(found: Row[], pageSize: number) {
  const rows = found.slice(0, pageSize);
  return { rows, next: found.length > pageSize ? lastKey(rows) : undefined };
}

/**
 * SQL: the filters, the beginning of the page, and the order. `notifications` and
 * `notification_recipients` both have these columns, so that one index can filter and sort.
 */
function pageClauses(table: Sql, query: NotificationQuery, after: string[] | undefined): Sql {
  const { documentId, locationId, order } = query;
  const onDocument =
    documentId === undefined ? empty : sql`AND ${table}.document_id = ${documentId}`;
  const atLocation =
    locationId === undefined
      ? empty
      : sql`AND ${table}.location_hash = ${locationHash(String(locationId))}`;
  const [createdMs, position] = after ?? [];
  const [operator, direction] = order === 'asc' ? [sql`>`, sql`ASC`] : [sql`<`, sql`DESC`];
  const isAfter = after
    ? sql`AND (${table}.created_ms, ${table}.position)
        ${operator} (${createdMs}::bigint, ${position}::bigint)`
    : empty;
  return sql`${onDocument} ${atLocation} ${isAfter}
    ORDER BY ${table}.created_ms ${direction}, ${table}.position ${direction}`;
}
