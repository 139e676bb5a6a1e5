import type { EventTypes } from '../../../platform/events/event-types.ts';
import { type PresentedAlert, presentedAlert } from './schema.ts';

const DAY_MS = 86_400_000;
const NOW = 1_790_000_000_000;

export const exampleAlert: PresentedAlert = {
  id: '4fTq8bV1nXcL0sKzR7Wd',
  apiKey: 'key',
  alertType: 'approval-rate-drift',
  severity: 'medium',
  title: 'The approval rate fell from 82 % to 57 %',
  description: '40 of 70 items were approved in the last 7 days, 246 of 300 in the 30 days before.',
  evidence: {
    metric: 'approval-rate',
    baseline: { approved: 246, decided: 300, rate: 0.82 },
    current: { approved: 40, decided: 70, rate: 0.571 },
    window: { from: NOW - 7 * DAY_MS, to: NOW },
    sourceRecordIds: ['9sKx2LmQ7VbT0cRzN4Wf'],
    pValue: 0.00002,
  },
  suggestedAction: 'Look at the latest rejections: did the items change, or the policy?',
  actionUrl: null,
  status: 'active',
  createdAt: NOW,
  dismissedAt: null,
  dismissedBy: null,
};

export const memoryEventTypes: EventTypes = {
  'memory.alert': {
    summary: 'An alert about recent judgments was raised.',
    data: presentedAlert,
    example: exampleAlert,
  },
};
