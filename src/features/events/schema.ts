import { z } from 'zod';
import { eventEnvelope } from '../../api/event-envelope.ts';
import { otherNames, text } from '../../api/fields.ts';

export const GetEvents = z.object({
  after: z
    .string()
    .max(1024)
    .optional()
    .meta({ description: 'The cursor of an earlier response.' })
    .register(otherNames, { names: ['cursor'] }),
  types: z.array(text(100).min(1)).max(100).optional(),
  limit: z.number().int().min(1).max(1000).default(1000),
});
export type GetEventsInput = z.infer<typeof GetEvents>;

/** An event of any type. */
export const presentedEvent = eventEnvelope(z.string(), z.unknown()).meta({ id: 'Event' });
export type PresentedEvent = z.infer<typeof presentedEvent>;
