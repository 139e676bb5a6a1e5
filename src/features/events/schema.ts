import { z } from 'zod';
import { eventEnvelope } from '../../api/event-envelope.ts';
import { text } from '../../api/fields.ts';
import { EVENT_TYPES } from './event-types.ts';

export const eventType = text(100).refine(
  (type) => EVENT_TYPES.has(type),
  'is not a known event type. All types are listed in /asyncapi.json.',
);

/**
 * Unknown fields and types are refused: a misspelt `after` would return all events again, and a
 * misspelt type would skip its events.
 */
export const GetEvents = z.strictObject({
  after: z
    .string()
    .max(1024)
    .optional()
    .meta({ description: 'The cursor of an earlier response.' }),
  types: z.array(eventType).max(100).optional(),
  limit: z.number().int().min(1).max(1000).default(1000),
});
export type GetEventsInput = z.infer<typeof GetEvents>;

export const presentedEvent = eventEnvelope(z.string(), z.unknown()).meta({ id: 'Event' });
export type PresentedEvent = z.infer<typeof presentedEvent>;
