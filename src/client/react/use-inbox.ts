import { useInfiniteQuery, useQuery, useSuspenseInfiniteQuery } from '@tanstack/react-query';
import type { Notification, NotificationsGetOutput, UnreadCount } from '../../api/contract.ts';
import type { CollaborationError } from '../error.ts';
import { follow } from '../follow.ts';
import { type Collaboration, useCollaboration, useOrganizationId } from './collaboration.tsx';
import { inboxKey, listsKey, unreadKey } from './mark-inbox.ts';
import { READS_ANEW_ON_FOCUS, refresh } from './reads.ts';
import { loadSelf } from './self.ts';
import { useRun } from './use-run.ts';
import type { ReadOptions } from './use-threads.ts';

export interface InboxOptions extends ReadOptions {
  /** By default, that of the nearest provider. */
  organizationId?: string;
  /** Only notifications of this document. */
  documentId?: string;
  /** How many to read at a time, at most 1000; 30 by default. */
  pageSize?: number;
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

/** The user's notifications, live. */
export function useInbox({
  suspense = false,
  organizationId: given,
  documentId,
  pageSize = 30,
}: InboxOptions = {}): InboxNow {
  const collaboration = useCollaboration();
  const organizationId = useOrganizationId(given);
  useRun('inbox', organizationId, followInbox);
  const usePages = suspense ? useSuspenseInfiniteQuery : useInfiniteQuery;
  const query = usePages(
    {
      ...READS_ANEW_ON_FOCUS,
      queryKey: [...listsKey(organizationId), { documentId, pageSize }],
      initialPageParam: undefined as string | undefined,
      queryFn: async ({
        pageParam: pageToken,
        signal,
      }: {
        pageParam: string | undefined;
        signal: AbortSignal;
      }): Promise<NotificationsGetOutput> => {
        const { userId } = await loadSelf(collaboration, organizationId);
        const input = { organizationId, userId, documentId, pageSize, pageToken };
        return collaboration.client.notifications.get(input, { signal });
      },
      getNextPageParam: ({ nextPageToken }: NotificationsGetOutput) => nextPageToken,
    },
    collaboration.cache,
  );
  const all = query.data?.pages.flatMap(({ data }) => data) ?? [];
  return {
    // New ones move others to the next page, where they may have been read already.
    notifications: [...new Map(all.map((each) => [each.id, each])).values()],
    isLoading: query.isPending,
    error: (query.error ?? query.failureReason) as CollaborationError | null,
    hasMore: query.hasNextPage,
    isFetchingMore: query.isFetchingNextPage,
    fetchMore: () => void query.fetchNextPage({ cancelRefetch: false }),
  };
}

const NONE: UnreadCount = { total: 0, byDocumentId: {} };

/** How many notifications the user has not read, live; 0 until it is known. */
export function useUnreadCount({
  organizationId: given,
}: Pick<InboxOptions, 'organizationId'> = {}): UnreadCount {
  const { client, cache } = useCollaboration();
  const organizationId = useOrganizationId(given);
  useRun('inbox', organizationId, followInbox);
  const query = useQuery(
    {
      ...READS_ANEW_ON_FOCUS,
      queryKey: unreadKey(organizationId),
      queryFn: ({ signal }) => client.notifications.unreadCount({ organizationId }, { signal }),
    },
    cache,
  );
  return query.data ?? NONE;
}

/** Reads the inbox anew whenever something arrives, until the signal fires. Never rejects. */
async function followInbox(
  { client, cache }: Collaboration,
  organizationId: string,
  signal: AbortSignal,
): Promise<void> {
  const readAnew = () => void refresh(cache, inboxKey(organizationId));
  const changes = () =>
    client.notifications.changes({ organizationId }, { signal, onStart: readAnew });
  await follow(changes, { take: readAnew, forget: readAnew });
}
