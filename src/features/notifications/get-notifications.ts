import type { KeyContext } from '../../api/context.ts';
import { readPageToken, writePageToken } from '../../api/paging.ts';
import { invalidArgument } from '../../platform/errors.ts';
import { ownUserId } from '../access/own-user.ts';
import { requireExisting } from '../access/require-access.ts';
import { presentNotifications } from './present-notification.ts';
import type { GetNotificationsInput } from './schema.ts';
import {
  type NotificationQuery,
  readDocumentNotifications,
  readInbox,
} from './select-notifications.ts';

/**
 * Returns a page of notifications (specification 4.23): all notifications of a document, or those in
 * a user's inbox that the user may see now. A user token reads only its own inbox.
 */
export async function getNotifications(ctx: KeyContext, input: GetNotificationsInput) {
  const { pageSize, pageToken, ...query } = input;
  const userId = ownUserId(ctx, query);
  // A page token is valid only for equal filters. As text, a numeric location equals the same location in a string.
  const locationId = query.locationId === undefined ? undefined : String(query.locationId);
  const filters = { ...query, locationId, userId };
  // A user token may leave out `userId`, so both forms of the filters are tried.
  requireValidCombination(query, filters);
  const pagedQuery = { operation: 'notifications.get', tenantId: ctx.tenantId, filters };
  const page = { after: readPageToken(ctx.secrets, pagedQuery, pageToken), pageSize };
  const { rows, next } =
    userId === undefined
      ? await readDocumentNotifications(ctx, filters, page)
      : await readInbox(ctx, { ...filters, userId }, page);
  // An empty page may mean that the place does not exist. Users are not told the difference.
  if (rows.length === 0 && ctx.userId === undefined) await requireExisting(ctx, filters);
  return {
    data: await presentNotifications(ctx, rows),
    nextPageToken: next && writePageToken(ctx.secrets, pagedQuery, next),
  };
}

/** The valid combinations of filters (specification 4.23), each with its fields in alphabetical order. */
const VALID_COMBINATIONS = new Set([
  'documentId',
  'documentId+notificationIds',
  'documentId+locationId',
  'documentId+locationId+notificationIds',
  'userId',
  'notificationIds+userId',
  'documentId+userId',
  'locationId+userId',
  'documentId+locationId+userId',
]);

/** @throws INVALID_ARGUMENT if none of the alternatives is a valid combination */
function requireValidCombination(...alternatives: NotificationQuery[]): void {
  if (alternatives.some((filters) => VALID_COMBINATIONS.has(combinationOf(filters)))) return;
  const valid = [...VALID_COMBINATIONS].join(', ');
  const message = `The filters must be one of these combinations: ${valid}.`;
  throw invalidArgument(message, { details: { issues: [{ path: '', message }] } });
}

/** Returns the names of the filters that are given. An empty list of ids counts as absent. */
function combinationOf({
  documentId,
  locationId,
  userId,
  notificationIds,
}: NotificationQuery): string {
  const ids = notificationIds?.length ? notificationIds : undefined;
  return Object.entries({ documentId, locationId, notificationIds: ids, userId })
    .filter(([, value]) => value !== undefined)
    .map(([field]) => field)
    .join('+');
}
