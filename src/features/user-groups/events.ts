import { z } from 'zod';
import type { EventTypes } from '../../platform/events/event-types.ts';
import { presentedUserGroup } from './schema.ts';

const group = presentedUserGroup.omit({ memberCount: true, userIds: true });

/** A group, with the added or removed users if its members were changed. */
const changedGroup = group.extend({
  addedUserIds: z.array(z.string()).optional(),
  deletedUserIds: z.array(z.string()).optional(),
});

const example = { groupId: 'legal', groupName: 'Legal' };

export const userGroupEventTypes: EventTypes = {
  'user_group.add': { summary: 'A user group was added.', data: changedGroup, example },
  'user_group.update': {
    summary: 'A user group or its members were changed.',
    data: changedGroup,
    example: { ...example, addedUserIds: ['ada'] },
  },
  'user_group.delete': { summary: 'A user group was deleted.', data: group, example },
};
