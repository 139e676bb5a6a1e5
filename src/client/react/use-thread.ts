import { useQuery, useSuspenseQuery } from '@tanstack/react-query';
import type { CollaborationError } from '../error.ts';
import { type Collaboration, type Place, useCollaboration, usePlace } from './collaboration.tsx';
import { newestOf, withWrites } from './merge-threads.ts';
import { READS } from './reads.ts';
import { readsOf, type ThreadRead } from './stored-thread.ts';
import type { Thread } from './thread.ts';
import { now, threadsKey } from './thread-cache.ts';
import { type ReadOptions, useChanges } from './use-threads.ts';

/** One thread, live. `thread` is undefined while it is loading, and when there is none. */
export function useThread(
  annotationId: string,
  { suspense = false }: ReadOptions = {},
): { thread: Thread | undefined; isLoading: boolean; error: CollaborationError | null } {
  const collaboration = useCollaboration();
  const place = usePlace();
  const changes = useChanges(place);
  const useIt = suspense ? useSuspenseQuery : useQuery;
  const query = useIt(
    {
      ...READS,
      queryKey: [...threadsKey(place), annotationId],
      queryFn: ({ signal }: { signal: AbortSignal }) =>
        readThread(collaboration, place, annotationId, signal),
      initialData: () => readsOf(collaboration.cache, place, annotationId)[0],
    },
    collaboration.cache,
  );
  const { readAt = 0, thread: read } = query.data ?? {};
  const received = changes.received.get(annotationId)?.thread;
  const stored = read ? newestOf(read, readAt, changes) : received;
  const thread = withWrites(annotationId, stored, changes);
  return {
    thread,
    isLoading: query.isPending && !thread,
    error: (query.error ?? query.failureReason) as CollaborationError | null,
  };
}

export async function readThread(
  { client }: Pick<Collaboration, 'client'>,
  place: Place,
  annotationId: string,
  signal?: AbortSignal,
): Promise<ThreadRead> {
  const readAt = now();
  const { data } = await client.commentAnnotations.get(
    { ...place, annotationIds: [annotationId] },
    { signal },
  );
  return { readAt, thread: data[0] ?? null };
}
