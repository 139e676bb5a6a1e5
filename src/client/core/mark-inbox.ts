import type { InfiniteData, QueryClient, QueryKey } from '@tanstack/query-core';
import type { Notification, NotificationsGetOutput, UnreadCount } from '../../api/contract.ts';

export const inboxKey = (organizationId: string) => ['inbox', organizationId];
export const listsKey = (organizationId: string) => [...inboxKey(organizationId), 'list'];
export const unreadKey = (organizationId: string) => [...inboxKey(organizationId), 'unread'];

type Pages = InfiniteData<NotificationsGetOutput>;

/** The notifications that were read, or are unread again. */
export interface NotificationMark {
  notificationIds: string[];
  /** False marks them as unread again. */
  isRead?: boolean;
}

/**
 * Shows notifications as read in all lists of an inbox, and counts the unread ones again.
 *
 * @returns the function that takes it back
 */
export async function markInbox(
  cache: QueryClient,
  organizationId: string,
  { notificationIds, isRead = true }: NotificationMark,
): Promise<() => void> {
  const queryKey = inboxKey(organizationId);
  await cache.cancelQueries({ queryKey });
  const before = cache.getQueriesData({ queryKey });
  const changed = new Map<string, Notification>();
  const mark = (notification: Notification): Notification => {
    if (!notificationIds.includes(notification.id) || notification.isRead === isRead) {
      return notification;
    }
    changed.set(notification.id, notification);
    return { ...notification, isRead };
  };
  cache.setQueriesData<Pages>(
    { queryKey: listsKey(organizationId) },
    (lists) =>
      lists && {
        ...lists,
        pages: lists.pages.map((page) => ({ ...page, data: page.data.map(mark) })),
      },
  );
  cache.setQueryData<UnreadCount>(
    unreadKey(organizationId),
    (count) => count && recount(count, [...changed.values()], isRead ? -1 : 1),
  );
  return () => restore(cache, before);
}

function recount(count: UnreadCount, changed: Notification[], by: 1 | -1): UnreadCount {
  const byDocumentId = { ...count.byDocumentId };
  for (const { documentId } of changed.map(({ metadata }) => metadata)) {
    byDocumentId[documentId] = Math.max(0, (byDocumentId[documentId] ?? 0) + by);
  }
  return { total: Math.max(0, count.total + by * changed.length), byDocumentId };
}

function restore(cache: QueryClient, before: Array<[QueryKey, unknown]>): void {
  for (const [queryKey, data] of before) cache.setQueryData(queryKey, data);
}
