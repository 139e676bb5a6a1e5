import type { NewEvent } from '../events/event-log.ts';

interface Erased {
  userId: string;
  /** Where the user was, or what the erasure is limited to. */
  organizationIds: string[];
  isLimited: boolean;
  contents: 'keep' | 'remove';
}

/**
 * Tells that everything of a user is being erased, in the key or in some organizations; and whether
 * what the user wrote is to go as well. It keeps
 * the id, and nothing else of the user: receivers hold data under it, and could erase nothing on
 * their side without it.
 */
export function erasureEvent({ userId, organizationIds, isLimited, contents }: Erased): NewEvent {
  const [only, ...others] = isLimited ? organizationIds : [];
  return {
    type: 'user.delete',
    ...(only !== undefined && others.length === 0 && { organizationId: only }),
    channels: [...organizationIds.map((id) => `organization:${id}`), `user:${userId}`],
    data: {
      userId,
      erased: true,
      ...(contents === 'remove' && { contents }),
      ...(isLimited && { organizationIds }),
    },
  };
}

/** Whether an event is one of these, exactly: whatever says more may hold what is to be erased. */
export function isErasureEvent({ type, data }: { type: string; data: unknown }): boolean {
  if (type !== 'user.delete' || typeof data !== 'object' || data === null) return false;
  const {
    userId,
    erased,
    organizationIds = [],
    contents,
    ...rest
  } = data as Record<string, unknown>;
  return (
    erased === true &&
    typeof userId === 'string' &&
    (contents === undefined || contents === 'remove') &&
    Array.isArray(organizationIds) &&
    organizationIds.every((id) => typeof id === 'string') &&
    Object.keys(rest).length === 0
  );
}
