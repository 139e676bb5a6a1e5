import {
  InfiniteQueryObserver,
  QueryObserver,
  type RefetchQueryFilters,
  skipToken,
} from '@tanstack/query-core';
import type { CommentsChangesItem } from '../../api/contract.ts';
import type { CollaborationClient } from '../create-client.ts';
import type { CollaborationError } from '../error.ts';
import { follow } from '../follow.ts';
import { type Collaboration, collaborationOf, type DocumentRef } from './collaboration.ts';
import { createLive, type Live, memoizeLast, runShared } from './live.ts';
import { mergeThreads, readsOf, type ThreadPage } from './merge-threads.ts';
import { failureOf, oneAttempt, readMore, refresh } from './reads.ts';
import type { Thread, ThreadFilters } from './thread.ts';
import {
  type Changes,
  changesKey,
  forgetReceived,
  logicalTime,
  NO_CHANGES,
  receiveChange,
  threadsKey,
} from './thread-cache.ts';

export interface ThreadsInput extends ThreadFilters {
  /** How many to read at a time, at most 1000; 50 by default. */
  pageSize?: number | undefined;
}

export interface ThreadsNow {
  threads: Thread[];
  isLoading: boolean;
  /** Why newer threads cannot be shown. Reads are retried while the server cannot be reached. */
  error: CollaborationError | null;
  hasMore: boolean;
  isFetchingMore: boolean;
  fetchMore(): void;
}

const NO_PAGES: ThreadPage[] = [];

/** The comment threads of a document. */
export function liveThreads(
  client: CollaborationClient,
  { organizationId, documentId, ...input }: DocumentRef & ThreadsInput,
): Live<ThreadsNow> {
  return followThreads(client, { organizationId, documentId }, { input, value: (now) => now });
}

export interface ThreadNow {
  /** Undefined while the thread is loading, and if it does not exist. */
  thread: Thread | undefined;
  isLoading: boolean;
  error: CollaborationError | null;
}

/** One thread of a document. */
export function liveThread(
  client: CollaborationClient,
  { annotationId, ...documentRef }: DocumentRef & { annotationId: string },
): Live<ThreadNow> {
  const { cache } = collaborationOf(client);
  return followThreads(client, documentRef, {
    input: { annotationIds: [annotationId], pageSize: 1 },
    // A list may have read the thread already.
    knownPages: () => readsOf({ cache, documentRef }, annotationId).slice(0, 1),
    value: ({ threads: [thread], isLoading, error }) => ({
      thread,
      isLoading: isLoading && !thread,
      error,
    }),
  });
}

interface ListOptions<Value> {
  input: ThreadsInput;
  /** Returns pages that are shown at once, without a read. */
  knownPages?: () => ThreadPage[];
  value(now: ThreadsNow): Value;
}

function followThreads<Value>(
  client: CollaborationClient,
  documentRef: DocumentRef,
  { input: { pageSize = 50, ...filters }, knownPages, value }: ListOptions<Value>,
): Live<Value> {
  const collaboration = collaborationOf(client);
  const pages = new InfiniteQueryObserver(collaboration.cache, {
    queryKey: [...threadsKey(documentRef), { pageSize, ...filters }],
    initialPageParam: undefined as string | undefined,
    initialData: () => {
      const pages = knownPages?.() ?? [];
      return pages.length > 0 ? { pages, pageParams: [undefined] } : undefined;
    },
    queryFn: async ({ pageParam: pageToken, signal }): Promise<ThreadPage> => {
      const readAt = logicalTime();
      const input = { ...documentRef, pageSize, ...filters, pageToken };
      const page = await client.commentAnnotations.get(input, oneAttempt(signal));
      const { data, nextPageToken } = page;
      return { readAt, threads: data.filter((thread) => thread !== null), nextPageToken };
    },
    getNextPageParam: ({ nextPageToken }) => nextPageToken,
  });
  // The changes are newer than the pages; `followComments` stores them.
  const changes = new QueryObserver<Changes>(collaboration.cache, {
    queryKey: changesKey(documentRef),
    queryFn: skipToken,
    initialData: NO_CHANGES,
  });
  const merge = memoizeLast((read: ThreadPage[], since: Changes) =>
    mergeThreads(read, since, filters),
  );
  return createLive(collaboration, {
    sources: [pages, changes],
    value: (query, { data: since = NO_CHANGES }) =>
      value({
        threads: merge(query.data?.pages ?? NO_PAGES, since),
        isLoading: query.isPending,
        error: failureOf(query),
        hasMore: query.hasNextPage,
        isFetchingMore: query.isFetchingNextPage,
        fetchMore: () => void readMore(pages),
      }),
    start: () => [runShared(collaboration, 'comments', documentRef, followComments)],
  });
}

/** Keeps the threads of a document up to date, until the signal fires. */
async function followComments(
  { client, cache }: Collaboration,
  documentRef: DocumentRef,
  signal: AbortSignal,
): Promise<void> {
  const queryKey = threadsKey(documentRef);
  // Called when the subscription starts, to find changes that were made after the pages were read and before the start.
  // Also called when it fails: if the user has lost access, the reads fail with the reason, which the live values show.
  const readAgain = () => void refresh(cache, queryKey);
  const failedReads: RefetchQueryFilters = {
    queryKey,
    type: 'active',
    predicate: ({ state }) => state.error !== null,
  };
  const changes = () => client.comments.changes(documentRef, { signal, onStart: readAgain });
  await follow<CommentsChangesItem>(changes, {
    onItem: (item) => {
      receiveChange({ cache, documentRef }, item);
      // A read may have failed while the user had no access for a moment, which the subscription does not notice. Failed
      // reads are therefore repeated with the next change.
      void cache.refetchQueries(failedReads, { cancelRefetch: false });
    },
    onGap: () => {
      forgetReceived({ cache, documentRef });
      readAgain();
    },
    signal,
  });
}
