import type { EventTypes } from '../../platform/events/event-types.ts';
import { exampleAlert } from './alerts/example.ts';
import { presentedAlert } from './alerts/schema.ts';

export const memoryEventTypes: EventTypes = {
  'memory.alert': {
    summary: 'Something about the judgments of late deserves a look.',
    data: presentedAlert,
    example: exampleAlert,
  },
};
