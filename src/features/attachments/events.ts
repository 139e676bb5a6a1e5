import type { EventTypes } from '../../platform/events/event-types.ts';
import { type PresentedAttachment, presentedAttachment } from './schema.ts';

export const exampleAttachment: PresentedAttachment = {
  attachmentId: '3pQ8rTzW1xY5cVbN7mKd',
  name: 'Launch plan.pdf',
  size: 48_213,
  type: 'application/pdf',
  checksum: '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
  userId: 'ada',
  createdAt: 1_790_000_000_000,
  isApproved: true,
  metadata: { apiKey: 'key', organizationId: 'acme', documentId: 'launch-plan' },
};

const described = { data: presentedAttachment, example: exampleAttachment };

export const attachmentEventTypes: EventTypes = {
  'attachment.add': {
    summary: 'A file was uploaded. A receiver can scan it, and then approve or delete it.',
    ...described,
  },
  'attachment.delete': { summary: 'An attachment was deleted.', ...described },
};
