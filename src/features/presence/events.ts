import type { EventTypes } from '../../platform/events/event-types.ts';
import { presentedPresence } from './schema.ts';

export const presenceEventTypes: EventTypes = {
  'presence.update': {
    summary: "A user's presence began, ended or changed; `previous` is the state before.",
    data: presentedPresence.extend({ previous: presentedPresence.optional() }),
    example: { userId: 'ada', name: 'Ada Lovelace', status: 'online' },
  },
};
