import type { KeyContext } from '../../api/context.ts';
import { readPageToken, writePageToken } from '../../api/paging.ts';
import { loadAccessTo } from '../access/load-access.ts';
import { ownUserId } from '../access/own-user.ts';
import { requireKnown } from '../access/require-access.ts';
import { fromKey, type Position, pageFrom, toKey } from './position.ts';
import { type NotificationRow, presentNotifications } from './present-notification.ts';
import { readInbox } from './read-inbox.ts';
import type { GetNotificationsInput } from './schema.ts';
import { type NotificationQuery, selectOfDocument } from './select-notifications.ts';
import { requireValidCombination } from './valid-filters.ts';

/**
 * A page of notifications (4.23): all of a document, or those in the inbox of a user that the user
 * may see now. User tokens read their own inbox only.
 */
export async function getNotifications(ctx: KeyContext, input: GetNotificationsInput) {
  const { pageSize, pageToken, ...given } = input;
  const filters = {
    ...given,
    // As text, so that a page token is valid for the number as well.
    locationId: given.locationId === undefined ? undefined : String(given.locationId),
    userId: ownUserId(ctx, given),
  };
  requireValidCombination(filters);
  const paged = { operation: 'notifications.get', tenantId: ctx.tenantId, filters };
  const after = fromKey(readPageToken(ctx.secrets, paged, pageToken));
  const { rows, next } = await readPage(ctx, filters, { after, pageSize });
  if (rows.length === 0) await requirePlace(ctx, filters);
  return {
    data: await presentNotifications(ctx, rows),
    nextPageToken: next && writePageToken(ctx.secrets, paged, toKey(next)),
  };
}

type Filters = Omit<NotificationQuery, 'tenantId'>;

async function readPage(
  ctx: KeyContext,
  filters: Filters,
  page: { after: Position | undefined; pageSize: number },
): Promise<{ rows: NotificationRow[]; next: Position | undefined }> {
  const { userId } = filters;
  const query = { ...filters, tenantId: ctx.tenantId };
  if (userId !== undefined) return readInbox(ctx, { ...query, userId }, page);
  const { after, pageSize } = page;
  const found = await selectOfDocument(ctx.db, query, { after, limit: pageSize + 1 });
  return pageFrom(found, pageSize);
}

/** An empty page may mean that the place does not exist. Users do not learn the difference. */
async function requirePlace(ctx: KeyContext, { organizationId, documentId }: Filters) {
  if (ctx.userId !== undefined) return;
  const place = { organizationId, documentId };
  requireKnown(await loadAccessTo(ctx.db, { tenantId: ctx.tenantId, userId: '' }, place), place);
}
