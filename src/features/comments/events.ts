import { z } from 'zod';
import type { EventTypes } from '../../platform/events/event-types.ts';
import { presentedUser } from '../access/users/schema.ts';
import { ANNOTATION_SUMMARIES } from './annotations/annotation-event.ts';
import { annotation } from './examples.ts';
import { presentedAnnotation } from './response-schemas.ts';

const data = presentedAnnotation
  .extend({
    actionUser: presentedUser.optional().meta({
      description: 'The user who acted, with the `agent` if an agent acted for the user.',
    }),
    commentIds: z.array(z.number()).optional().meta({ description: 'The comments concerned.' }),
    triggerNotification: z
      .boolean()
      .meta({ description: 'Whether the participants are notified.' }),
    previous: z
      .looseObject({})
      .optional()
      .meta({ description: 'The changed parts, as they were before.' }),
    reaction: z.object({ icon: z.string() }).optional(),
  })
  .meta({ id: 'CommentEventData' });

const example = {
  ...annotation,
  actionUser: { userId: 'ada', name: 'Ada Lovelace' },
  triggerNotification: true,
};

export const commentEventTypes: EventTypes = Object.fromEntries(
  Object.entries(ANNOTATION_SUMMARIES).map(([type, summary]) => [type, { summary, data, example }]),
);
