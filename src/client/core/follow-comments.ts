import type { CommentsChangesItem } from '../../api/contract.ts';
import { follow } from '../follow.ts';
import type { Collaboration, DocumentRef } from './collaboration.ts';
import { refresh } from './reads.ts';
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
    take: (item) => receive(cache, place, item),
    forget: () => {
      forgetReceived(cache, place);
      readAgain();
    },
    signal,
  });
}
