import { InfiniteQueryObserver, QueryObserver, skipToken } from '@tanstack/query-core';
import type { CallOptions } from '../client-type.ts';
import type { CollaborationClient } from '../create-client.ts';
import type { CollaborationError } from '../error.ts';
import { type Collaboration, collaborationOf, type DocumentRef } from './collaboration.ts';
import { followComments } from './follow-comments.ts';
import { keepLast, type Live, live, run } from './live.ts';
import {
  mergeThreads,
  newestOf,
  readsOf,
  type ThreadPage,
  type ThreadRead,
  withWrites,
} from './merge-threads.ts';
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
const observeChanges = ({ cache }: Collaboration, place: DocumentRef) =>
  new QueryObserver<Changes>(cache, {
    queryKey: changesKey(place),
    queryFn: skipToken,
    initialData: NO_CHANGES,
  });

export interface ThreadNow {
  /** Undefined while it is loading, and when there is none. */
  thread: Thread | undefined;
  isLoading: boolean;
  error: CollaborationError | null;
}

/** One thread of a document. */
export function liveThread(
  client: CollaborationClient,
  { annotationId, ...place }: DocumentRef & { annotationId: string },
): Live<ThreadNow> {
  const collaboration = collaborationOf(client);
  const read = new QueryObserver<ThreadRead>(collaboration.cache, {
    queryKey: [...threadsKey(place), annotationId],
    queryFn: ({ signal }) =>
      readThread(collaboration, place, annotationId, { signal, singleAttempt: true }),
    // A list may have read the thread before.
    initialData: () => readsOf(collaboration.cache, place, annotationId)[0],
  });
  return live(collaboration, {
    sources: [read, observeChanges(collaboration, place)],
    value: (query, { data: changes = NO_CHANGES }): ThreadNow => {
      const received = changes.received.get(annotationId)?.thread;
      const { readAt = 0, thread: found } = query.data ?? {};
      const stored = found ? newestOf(found, readAt, changes) : received;
      const thread = withWrites(annotationId, stored, changes);
      return { thread, isLoading: query.isPending && !thread, error: failureOf(query) };
    },
    start: () => [run(collaboration, 'comments', place, followComments)],
    firstRead: () => read.fetchOptimistic(read.options),
  });
}

export async function readThread(
  { client }: Pick<Collaboration, 'client'>,
  place: DocumentRef,
  annotationId: string,
  options?: CallOptions,
): Promise<ThreadRead> {
  const readAt = logicalTime();
  const input = { ...place, annotationIds: [annotationId] };
  const { data } = await client.commentAnnotations.get(input, options);
  return { readAt, thread: data[0] ?? null };
}
