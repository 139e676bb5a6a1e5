import { z } from 'zod';
import { eventEnvelope } from '../../api/event-envelope.ts';
import { text } from '../../api/fields.ts';

/** Unknown fields are refused, because a misspelt `after` would return all events again. */
export const GetEvents = z.strictObject({
  after: z
    .string()
    .max(1024)
    .optional()
    .meta({ description: 'The cursor of an earlier response.' }),
  types: z.array(text(100).min(1)).max(100).optional(),
  limit: z.number().int().min(1).max(1000).default(1000),
});
export type GetEventsInput = z.infer<typeof GetEvents>;

export const presentedEvent = eventEnvelope(z.string(), z.unknown()).meta({ id: 'Event' });
export type PresentedEvent = z.infer<typeof presentedEvent>;
