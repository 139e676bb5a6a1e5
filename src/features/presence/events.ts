import type { EventTypes } from '../../platform/events/event-types.ts';
import { presenceUpdate } from './schema.ts';

export const presenceEventTypes: EventTypes = {
  'presence.update': {
    summary: "A user's presence began, ended or changed; `previous` is the state before.",
    data: presenceUpdate,
    example: { userId: 'ada', name: 'Ada Lovelace', status: 'online' },
  },
};
