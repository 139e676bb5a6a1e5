import type { EventTypes } from '../../platform/events/event-types.ts';
import { presentedRecording } from './schema.ts';

const example = {
  recordingId: 'walkthrough',
  url: 'https://cdn.example.com/walkthrough.mp4',
  from: { userId: 'ada', name: 'Ada Lovelace' },
  createdAt: 1_790_000_000_000,
  metadata: { apiKey: 'key', organizationId: 'acme', documentId: 'launch-plan' },
};

export const recordingEventTypes: EventTypes = {
  'recording.add': { summary: 'A recording was added.', data: presentedRecording, example },
  'recording.delete': { summary: 'A recording was deleted.', data: presentedRecording, example },
};
