import type { NewEvent } from '../../platform/events/event-log.ts';

export interface UserGroupRow {
  groupId: string;
  groupName: string | null;
  metadata: Record<string, unknown>;
}

/** The added or removed users, for a change of members. */
interface Membership {
  addedUserIds?: string[];
  deletedUserIds?: string[];
}

/** Presents a group as in responses and events. */
export const presentUserGroup = ({ groupId, groupName, metadata }: UserGroupRow) => ({
  ...metadata,
  groupId,
  groupName: groupName ?? groupId,
});

export const userGroupEvent = (
  type: 'user_group.add' | 'user_group.update' | 'user_group.delete',
  organizationId: string,
  group: UserGroupRow,
  membership: Membership = {},
): NewEvent => ({
  type,
  organizationId,
  channels: [`organization:${organizationId}`],
  data: { ...presentUserGroup(group), ...membership },
});
