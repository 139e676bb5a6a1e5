import type { QueryClient } from '@tanstack/query-core';
import type { CommentsChangesItem } from '../../api/contract.ts';
import { follow } from '../follow.ts';
import type { Collaboration, DocumentRef } from './collaboration.ts';
import { refresh } from './reads.ts';
import { isExact, type ThreadFilters } from './thread.ts';
import { forgetReceived, receive, threadsKey } from './thread-cache.ts';

/** Keeps the threads of a document up to date, until the signal fires. */
export async function followComments(
  { client, cache }: Collaboration,
  place: DocumentRef,
  signal: AbortSignal,
): Promise<void> {
  // Pages that were read before the subscription began may miss a change in between. When access has
  // ended, the reads fail with the reason, which the hooks return.
  const readAgain = () => void refresh(cache, threadsKey(place));
  const changes = () => client.comments.changes(place, { signal, onStart: readAgain });
  await follow<CommentsChangesItem>(changes, {
    take: (item) => {
      receive(cache, place, item);
      refreshInexact(cache, place);
    },
    forget: () => {
      forgetReceived(cache, place);
      readAgain();
    },
    signal,
  });
}

/** Reads again the lists whose filters only the server can evaluate. */
function refreshInexact(cache: QueryClient, place: DocumentRef): void {
  const queries = cache.getQueryCache().findAll({ queryKey: threadsKey(place), type: 'active' });
  for (const { queryKey } of queries) {
    // The key of a list ends with its filters, that of a single thread with its id.
    const filters = queryKey.at(-1);
    const isList = typeof filters === 'object' && filters !== null;
    if (isList && !isExact(filters as ThreadFilters)) void refresh(cache, queryKey);
  }
}
