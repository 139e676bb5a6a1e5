import type { NewEvent } from '../../../platform/events/event-log.ts';

/** The resource of a grant, as the columns of `grants` name it. */
export interface GrantPlace {
  organizationId: string;
  resourceType: 'organization' | 'folder' | 'document';
  resourceId: string;
}

/** An event about a user on a resource; `data` is the user as presented there. */
export function userEvent(
  type: 'user.add' | 'user.update' | 'user.delete',
  { organizationId, resourceType, resourceId }: GrantPlace,
  userId: string,
  data: object,
): NewEvent {
  const channels = new Set([
    `organization:${organizationId}`,
    `${resourceType}:${resourceId}`,
    `user:${userId}`,
  ]);
  return {
    type,
    organizationId,
    ...(resourceType === 'document' && { documentId: resourceId }),
    channels: [...channels],
    data,
  };
}
