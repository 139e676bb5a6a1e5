import type { MutationObserverOptions } from '@tanstack/query-core';
import type { CollaborationError } from '../error.ts';
import type { Collaboration, Place } from './collaboration.ts';
import { inboxKey, markInbox, type NotificationMark } from './mark-inbox.ts';
import { refresh } from './reads.ts';

/** The subject that was read: a thread of the document, or notifications of the inbox. */
export type ReadMark = { annotationId: string } | NotificationMark;

export type TakeBack = (() => void) | undefined;

/** Marks threads of a document, or notifications, as read by the user. */
export function markReadOf(
  { client, cache }: Collaboration,
  place: { organizationId: string } & Partial<Place>,
): MutationObserverOptions<void, CollaborationError, ReadMark, TakeBack> {
  const { organizationId } = place;
  return {
    networkMode: 'always',
    mutationFn: async (mark) => {
      if ('annotationId' in mark) await client.commentAnnotations.read({ ...place, ...mark });
      else await client.notifications.update({ organizationId, ...mark });
    },
    onMutate: async (mark) =>
      'annotationId' in mark ? undefined : markInbox(cache, organizationId, mark),
    onError: (_error, _mark, takeBack) => takeBack?.(),
    onSettled: () => void refresh(cache, inboxKey(organizationId)),
  };
}
