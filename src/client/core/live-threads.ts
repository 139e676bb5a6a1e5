import { InfiniteQueryObserver, QueryObserver, skipToken } from '@tanstack/query-core';
import type { CollaborationClient } from '../create-client.ts';
import type { CollaborationError } from '../error.ts';
import { type Collaboration, collaborationOf, type DocumentRef } from './collaboration.ts';
import { followComments } from './follow-comments.ts';
import { keepLast, type Live, live, run } from './live.ts';
import { mergeThreads, type ThreadPage } from './merge-threads.ts';
import { failureOf, readMore } from './reads.ts';
import type { Thread, ThreadFilters } from './thread.ts';
import { type Changes, changesKey, logicalTime, NO_CHANGES, threadsKey } from './thread-cache.ts';

export interface ThreadsInput extends ThreadFilters {
  /** How many to read at a time, at most 1000; 50 by default. */
  pageSize?: number | undefined;
}

export interface ThreadsNow {
  threads: Thread[];
  isLoading: boolean;
  /** Why nothing newer can be shown. While the server is away, reads are repeated. */
  error: CollaborationError | null;
  hasMore: boolean;
  isFetchingMore: boolean;
  fetchMore(): void;
}

const NO_PAGES: ThreadPage[] = [];

/** The comment threads of a document. */
export function liveThreads(
  client: CollaborationClient,
  { organizationId, documentId, pageSize = 50, ...filters }: DocumentRef & ThreadsInput,
): Live<ThreadsNow> {
  const collaboration = collaborationOf(client);
  const place = { organizationId, documentId };
  const pages = new InfiniteQueryObserver(collaboration.cache, {
    queryKey: [...threadsKey(place), { pageSize, ...filters }],
    initialPageParam: undefined as string | undefined,
    queryFn: async ({ pageParam: pageToken, signal }): Promise<ThreadPage> => {
      const readAt = logicalTime();
      const input = { ...place, pageSize, ...filters, pageToken };
      const options = { signal, singleAttempt: true };
      const { data, nextPageToken } = await client.commentAnnotations.get(input, options);
      return { readAt, threads: data.filter((thread) => thread !== null), nextPageToken };
    },
    getNextPageParam: ({ nextPageToken }) => nextPageToken,
  });
  const merge = keepLast((read: ThreadPage[], changes: Changes) =>
    mergeThreads(read, changes, filters),
  );
  return live(collaboration, {
    sources: [pages, observeChanges(collaboration, place)],
    value: (query, { data: changes = NO_CHANGES }): ThreadsNow => ({
      threads: merge(query.data?.pages ?? NO_PAGES, changes),
      isLoading: query.isPending,
      error: failureOf(query),
      hasMore: query.hasNextPage,
      isFetchingMore: query.isFetchingNextPage,
      fetchMore: () => void readMore(pages),
    }),
    start: () => [run(collaboration, 'comments', place, followComments)],
    firstRead: () => pages.fetchOptimistic(pages.options),
  });
}

/** Changes newer than the reads; `followComments` stores them. */
export const observeChanges = ({ cache }: Collaboration, place: DocumentRef) =>
  new QueryObserver<Changes>(cache, {
    queryKey: changesKey(place),
    queryFn: skipToken,
    initialData: NO_CHANGES,
  });
