import type { EventTypes } from '../../platform/events/event-types.ts';
import { presentedEditor } from './schema.ts';

export const crdtEventTypes: EventTypes = {
  'crdt.update_data': {
    summary:
      'The content of an editor was changed. Published at most once every 5 s; the last state is always published.',
    data: presentedEditor,
    example: {
      id: 'body',
      data: 'We launch in June.',
      type: 'text',
      version: 12,
      lastUpdate: 1_790_000_000_000,
      lastUpdatedBy: 'ada',
    },
  },
};
