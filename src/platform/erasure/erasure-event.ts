import type { NewEvent } from '../events/event-log.ts';

interface Erased {
  userId: string;
  /** The user's organizations, or those to which the erasure is limited. */
  organizationIds: string[];
  isLimited: boolean;
  contents: 'keep' | 'remove';
}

/**
 * Returns the event that announces the erasure of a user's data, in a whole API key or in some
 * organizations, with or without the user's content. Of the user's data, the event contains only the
 * id, which receivers need to erase their own copies.
 */
export function erasureEvent({ userId, organizationIds, isLimited, contents }: Erased): NewEvent {
  // An event has a field for one organization only; its channels name all of them.
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

/** Whether an event has exactly the form of `erasureEvent`. Any further field may contain data to be erased. */
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
