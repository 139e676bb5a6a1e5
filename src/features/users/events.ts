import type { EventTypes } from '../../platform/events/event-types.ts';
import { presentedUser } from '../access/users/schema.ts';

const example = {
  userId: 'ada',
  name: 'Ada Lovelace',
  email: 'ada@example.com',
  initial: 'A',
  accessRole: 'editor',
};

export const userEventTypes: EventTypes = {
  'user.add': {
    summary: 'A user was added to an organization, or to one of its folders or documents.',
    data: presentedUser,
    example,
  },
  'user.update': {
    summary:
      "A user or the user's role on the resource was changed; `previous` is the state before the change.",
    data: presentedUser.extend({ previous: presentedUser.optional() }),
    example: { ...example, previous: { ...example, accessRole: 'viewer' } },
  },
  'user.delete': {
    summary: 'A user was removed from an organization, folder or document.',
    data: presentedUser,
    example,
  },
};
