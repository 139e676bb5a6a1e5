import type { NewEvent } from '../../platform/events/event-log.ts';

export interface UserGroupRow {
  groupId: string;
  groupName: string | null;
  metadata: Record<string, unknown>;
}

/** Who came or went, where that is what changed. */
interface Membership {
  addedUserIds?: string[];
  deletedUserIds?: string[];
}

/** A group as every answer and event shows it. */
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
