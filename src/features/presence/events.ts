import type { EventTypes } from '../../platform/events/event-types.ts';
import { presentedPresence } from './schema.ts';

export const presenceEventTypes: EventTypes = {
  'presence.update': {
    summary: 'Somebody came, went, or looks different; `previous` is how that was.',
    data: presentedPresence.extend({ previous: presentedPresence.optional() }),
    example: { userId: 'ada', name: 'Ada Lovelace', status: 'online' },
  },
};
