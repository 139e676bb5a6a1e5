import { z } from 'zod';
import type { EventTypes } from '../../platform/events/event-types.ts';
import { endpoint } from './schema.ts';

export const webhookEventTypes: EventTypes = {
  'endpoint.disabled': {
    summary: 'A webhook endpoint was disabled, because it responded with 410 or failed for days.',
    data: endpoint.extend({ reason: z.enum(['gone', 'failing']) }),
    example: {
      id: 'ep_4fTq8bV1nXcL0sKzR7Wd',
      url: 'https://example.com/webhooks',
      description: null,
      filterTypes: null,
      channels: null,
      disabled: true,
      rateLimit: null,
      uid: null,
      metadata: {},
      createdAt: '2026-01-05T09:00:00.000Z',
      updatedAt: '2026-01-10T09:00:00.000Z',
      reason: 'failing',
    },
  },
};
