import { useMemo } from 'react';
import { markReadOf, type ReadMark } from '../core/mark-read.ts';
import { useOrganizationId, usePlaceIfAny } from './collaboration.tsx';
import { useMutation, type WriteHook } from './use-write.ts';

/**
 * Marks as read by the user: `mutate({ annotationId })` a thread of the document, and
 * `mutate({ notificationIds })` notifications, which is shown at once.
 */
export function useMarkRead(): WriteHook<ReadMark, void> {
  const organizationId = useOrganizationId();
  const place = usePlaceIfAny();
  return useMutation(
    markReadOf,
    useMemo(() => ({ ...place, organizationId }), [place, organizationId]),
  );
}
