import { InfiniteQueryObserver, QueryObserver } from '@tanstack/query-core';
import type { Notification, NotificationsGetOutput, UnreadCount } from '../../api/contract.ts';
import type { CollaborationClient } from '../create-client.ts';
import type { CollaborationError } from '../error.ts';
import { follow } from '../follow.ts';
import { type Collaboration, collaborationOf } from './collaboration.ts';
import { createLive, type Live, runShared } from './live.ts';
import { inboxKey, listsKey, onReadInOtherTab, unreadKey } from './mark-read.ts';
import { FOCUS_STALE_MS, failureOf, oneAttempt, readMore, refresh } from './reads.ts';
import { loadSelf } from './self.ts';

export interface InboxInput {
  organizationId: string;
  /** Limits the inbox to the notifications of this document. */
  documentId?: string | undefined;
  /** How many to read at a time, at most 1000; 30 by default. */
  pageSize?: number | undefined;
}

export interface InboxNow {
  /** The newest first. */
  notifications: Notification[];
  isLoading: boolean;
  error: CollaborationError | null;
  hasMore: boolean;
  isFetchingMore: boolean;
  fetchMore(): void;
}

/** The user's notifications. */
export function liveInbox(
  client: CollaborationClient,
  { organizationId, documentId, pageSize = 30 }: InboxInput,
): Live<InboxNow> {
  const collaboration = collaborationOf(client);
  const lists = new InfiniteQueryObserver(collaboration.cache, {
    staleTime: FOCUS_STALE_MS,
    queryKey: [...listsKey(organizationId), { documentId, pageSize }],
    initialPageParam: undefined as string | undefined,
    queryFn: async ({ pageParam: pageToken, signal }): Promise<NotificationsGetOutput> => {
      const { userId } = await loadSelf(collaboration, organizationId);
      const input = { organizationId, userId, documentId, pageSize, pageToken };
      return client.notifications.get(input, oneAttempt(signal));
    },
    getNextPageParam: ({ nextPageToken }) => nextPageToken,
  });
  return createLive(collaboration, {
    sources: [lists],
    value: (query): InboxNow => {
      const all = query.data?.pages.flatMap(({ data }) => data) ?? [];
      return {
        // A new notification may move an older one to the next page. If two pages hold it, it is shown once.
        notifications: [...new Map(all.map((each) => [each.id, each])).values()],
        isLoading: query.isPending,
        error: failureOf(query),
        hasMore: query.hasNextPage,
        isFetchingMore: query.isFetchingNextPage,
        fetchMore: () => void readMore(lists),
      };
    },
    start: () => [runShared(collaboration, 'inbox', organizationId, followInbox)],
  });
}

const NOTHING_UNREAD: UnreadCount = { total: 0, byDocumentId: {} };

/** How many notifications the user has not read; 0 until the number is known. */
export function liveUnreadCount(
  client: CollaborationClient,
  { organizationId }: { organizationId: string },
): Live<UnreadCount> {
  const collaboration = collaborationOf(client);
  const count = new QueryObserver<UnreadCount>(collaboration.cache, {
    staleTime: FOCUS_STALE_MS,
    queryKey: unreadKey(organizationId),
    queryFn: ({ signal }) =>
      client.notifications.unreadCount({ organizationId }, oneAttempt(signal)),
  });
  return createLive(collaboration, {
    sources: [count],
    value: ({ data }) => data ?? NOTHING_UNREAD,
    start: () => [runShared(collaboration, 'inbox', organizationId, followInbox)],
  });
}

/** Reads the inbox again whenever it changes, until the signal fires. Never rejects. */
async function followInbox(
  { client, cache }: Collaboration,
  organizationId: string,
  signal: AbortSignal,
): Promise<void> {
  const readAgain = () => void refresh(cache, inboxKey(organizationId));
  const changes = () =>
    client.notifications.changes({ organizationId }, { signal, onStart: readAgain });
  const unsubscribe = onReadInOtherTab(organizationId, readAgain);
  await follow(changes, { onItem: readAgain, onGap: readAgain, signal });
  unsubscribe();
}
