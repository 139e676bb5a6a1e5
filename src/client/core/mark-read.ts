import type { InfiniteData, QueryClient } from '@tanstack/query-core';
import type { Notification, NotificationsGetOutput, UnreadCount } from '../../api/contract.ts';
import type { CollaborationClient } from '../create-client.ts';
import { randomId } from '../random-id.ts';
import { collaborationOf, type DocumentRef } from './collaboration.ts';
import { refresh } from './reads.ts';

export const inboxKey = (organizationId: string) => ['inbox', organizationId];
export const listsKey = (organizationId: string) => [...inboxKey(organizationId), 'list'];
export const unreadKey = (organizationId: string) => [...inboxKey(organizationId), 'unread'];

/** Opens a channel on which the browser's tabs tell each other what the user has read. No subscription reports this. */
const openChannel = (): BroadcastChannel | undefined =>
  typeof BroadcastChannel === 'undefined' ? undefined : new BroadcastChannel('collaboration-inbox');

const thisTab = randomId();

function informOtherTabs(organizationId: string): void {
  const channel = openChannel();
  channel?.postMessage({ organizationId, from: thisTab });
  channel?.close();
}

/** Calls `readAgain` when something was read in another tab. @returns a function that ends the subscription */
export function onReadInOtherTab(organizationId: string, readAgain: () => void): () => void {
  const channel = openChannel();
  channel?.addEventListener('message', ({ data }) => {
    if (data.organizationId === organizationId && data.from !== thisTab) readAgain();
  });
  return () => channel?.close();
}

type Pages = InfiniteData<NotificationsGetOutput>;

/** Notifications to mark as read, or as unread again. */
interface NotificationMark {
  notificationIds: string[];
  /** False marks them as unread again. */
  isRead?: boolean | undefined;
}

/** Shows a mark in all lists of an inbox at once, and adjusts the number of unread notifications. */
async function markInbox(
  cache: QueryClient,
  organizationId: string,
  { notificationIds, isRead = true }: NotificationMark,
): Promise<void> {
  await cache.cancelQueries({ queryKey: inboxKey(organizationId) });
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
    (list) =>
      list && {
        ...list,
        pages: list.pages.map((page) => ({ ...page, data: page.data.map(mark) })),
      },
  );
  cache.setQueryData<UnreadCount>(
    unreadKey(organizationId),
    (count) => count && adjustCount(count, [...changed.values()], isRead ? -1 : 1),
  );
}

function adjustCount(count: UnreadCount, changed: Notification[], by: 1 | -1): UnreadCount {
  const byDocumentId = { ...count.byDocumentId };
  for (const { documentId } of changed.map(({ metadata }) => metadata)) {
    byDocumentId[documentId] = Math.max(0, (byDocumentId[documentId] ?? 0) + by);
  }
  return { total: Math.max(0, count.total + by * changed.length), byDocumentId };
}

/** The inbox of an organization, and the document of the page, if any, whose threads can be marked as read. */
type Inbox = Pick<DocumentRef, 'organizationId'> & Partial<DocumentRef>;

/** The things to mark as read: a thread of the document, or notifications of the inbox. */
export type ReadMark = { annotationId: string } | NotificationMark;

/** Returns a function that marks notifications as read by the user, or a thread if `inbox` has a document. */
export function markRead(
  client: CollaborationClient,
  inbox: Inbox,
): (mark: ReadMark) => Promise<void> {
  const { cache } = collaborationOf(client);
  const { organizationId } = inbox;
  return async (mark) => {
    try {
      if ('annotationId' in mark) await client.commentAnnotations.read({ ...inbox, ...mark });
      else {
        await markInbox(cache, organizationId, mark);
        await client.notifications.update({ organizationId, ...mark });
      }
    } finally {
      // If the server refused the mark, this read shows the notifications as unread again.
      void refresh(cache, inboxKey(organizationId));
      informOtherTabs(organizationId);
    }
  };
}
