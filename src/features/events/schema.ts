import { z } from 'zod';
import { text } from '../../api/fields.ts';

export const GetEvents = z.object({
  after: z.string().max(1024).optional().meta({ description: 'The cursor of an earlier answer.' }),
  types: z.array(text(100).min(1)).max(100).optional(),
  limit: z.number().int().min(1).max(1000).default(1000),
});
export type GetEventsInput = z.infer<typeof GetEvents>;

/** An event as every reader gets it: this operation, webhooks and subscriptions. */
export const presentedEvent = z.object({
  id: z.string(),
  type: z.string(),
  timestamp: z.iso.datetime(),
  metadata: z.object({
    apiKey: z.string(),
    organizationId: z.string().optional(),
    documentId: z.string().optional(),
  }),
  data: z.unknown(),
});
export type PresentedEvent = z.infer<typeof presentedEvent>;
