import { QueryObserver } from '@tanstack/query-core';
import type { CallOptions } from '../client-type.ts';
import type { CollaborationClient } from '../create-client.ts';
import type { CollaborationError } from '../error.ts';
import { type Collaboration, collaborationOf, type DocumentRef } from './collaboration.ts';
import { followComments } from './follow-comments.ts';
import { type Live, live, run } from './live.ts';
import { observeChanges } from './live-threads.ts';
import { newestOf, readsOf, type ThreadRead, withWrites } from './merge-threads.ts';
import { failureOf } from './reads.ts';
import type { Thread } from './thread.ts';
import { logicalTime, NO_CHANGES, threadsKey } from './thread-cache.ts';

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
