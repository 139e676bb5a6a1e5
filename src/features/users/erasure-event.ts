import type { NewEvent } from '../../platform/events/event-log.ts';

interface Erased {
  userId: string;
  /** Where the person was; empty: in none that is known. */
  organizationIds: string[];
  /** The one organization that the erasure is limited to. */
  organizationId?: string;
}

/**
 * Tells that everything of a user is being erased. It keeps the id, and nothing else: receivers
 * hold data of the user under it, and could erase nothing on their side without it.
 */
export const erasureEvent = ({ userId, organizationIds, organizationId }: Erased): NewEvent => ({
  type: 'user.delete',
  ...(organizationId !== undefined && { organizationId }),
  channels: [...organizationIds.map((id) => `organization:${id}`), `user:${userId}`],
  data: { userId, erased: true },
});

/** Whether an event is one of these, exactly: whatever says more may hold what is to be erased. */
export function isErasureEvent({ type, data }: { type: string; data: unknown }): boolean {
  if (type !== 'user.delete' || typeof data !== 'object' || data === null) return false;
  const { userId, erased, ...rest } = data as Record<string, unknown>;
  return erased === true && typeof userId === 'string' && Object.keys(rest).length === 0;
}
