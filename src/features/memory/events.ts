import type { EventTypes } from '../../platform/events/event-types.ts';
import { exampleAlert } from './alerts/example.ts';
import { presentedAlert } from './alerts/schema.ts';

export const memoryEventTypes: EventTypes = {
  'memory.alert': {
    summary: 'An alert about recent judgments was raised.',
    data: presentedAlert,
    example: exampleAlert,
  },
};
