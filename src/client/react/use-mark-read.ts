import { type UseMutationResult, useMutation } from '@tanstack/react-query';
import type { CollaborationError } from '../error.ts';
import { useCollaboration, useOrganizationId, usePlaceIfAny } from './collaboration.tsx';
import { inboxKey, markInbox, type NotificationMark } from './mark-inbox.ts';
import { refresh } from './reads.ts';

/** The subject that was read: a thread of the document, or notifications of the inbox. */
export type ReadMark = { annotationId: string } | NotificationMark;

/**
 * Marks as read by the user: `mutate({ annotationId })` a thread of the document, and
 * `mutate({ notificationIds })` notifications, which is shown at once.
 */
export function useMarkRead(): UseMutationResult<void, CollaborationError, ReadMark, unknown> {
  const { client, cache } = useCollaboration();
  const organizationId = useOrganizationId();
  const place = usePlaceIfAny();
  return useMutation<void, CollaborationError, ReadMark, (() => void) | undefined>(
    {
      networkMode: 'always',
      mutationFn: async (mark) => {
        if ('annotationId' in mark) await client.commentAnnotations.read({ ...place, ...mark });
        else await client.notifications.update({ organizationId, ...mark });
      },
      onMutate: async (mark) =>
        'annotationId' in mark ? undefined : markInbox(cache, organizationId, mark),
      onError: (_error, _mark, takeBack) => takeBack?.(),
      onSettled: () => void refresh(cache, inboxKey(organizationId)),
    },
    cache,
  );
}
