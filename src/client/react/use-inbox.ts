import type { UnreadCount } from '../../api/contract.ts';
import { type InboxInput, type InboxNow, liveInbox, liveUnreadCount } from '../core/live-inbox.ts';
import { useOrganizationId } from './collaboration.tsx';
import { type ReadOptions, useLive } from './use-live.ts';

/** By default, the organization is that of the nearest provider. */
export interface InboxOptions extends Partial<InboxInput>, ReadOptions {}

/** The user's notifications, live. */
export function useInbox({
  suspense,
  organizationId: given,
  ...input
}: InboxOptions = {}): InboxNow {
  const organizationId = useOrganizationId(given);
  return useLive(liveInbox, { ...input, organizationId }, { suspense });
}

/** How many notifications the user has not read, live; 0 until it is known. */
export const useUnreadCount = ({
  organizationId,
}: Pick<InboxOptions, 'organizationId'> = {}): UnreadCount =>
  useLive(liveUnreadCount, { organizationId: useOrganizationId(organizationId) });
