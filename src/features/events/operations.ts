import { z } from 'zod';
import { apiKeyOperation, router } from '../../api/procedures.ts';
import { getEvents } from './get-events.ts';
import { GetEvents, presentedEvent } from './schema.ts';

export const eventsRouter = router({
  get: apiKeyOperation({
    path: '/v2/events/get',
    summary: 'Get events',
    description:
      'All events of the key, in the order of their commits. Pass the cursor as `after` to continue; without it, reading begins with the oldest stored event. The call fails with OUT_OF_RANGE if events after the cursor were removed because of their age.',
    message: 'Events retrieved successfully.',
    errors: ['OUT_OF_RANGE'],
    example: {
      request: { types: ['document.add'], limit: 100 },
      response: {
        events: [
          {
            id: '4fTq8bV1nXcL0sKzR7Wd',
            type: 'document.add',
            timestamp: '2026-01-05T09:00:00.000Z',
            metadata: { apiKey: 'key', organizationId: 'acme', documentId: 'launch-plan' },
            data: {
              id: 'launch-plan',
              documentName: 'Launch plan',
              disabled: false,
              accessType: 'public',
            },
          },
        ],
        cursor: 'v1.1f0c2a4b.Jd0hS2bX',
      },
    },
  })
    .input(GetEvents)
    .output(z.object({ events: z.array(presentedEvent), cursor: z.string() }))
    .query(({ ctx, input }) => getEvents(ctx, input)),
});
