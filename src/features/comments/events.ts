import { z } from 'zod';
import type { EventType, EventTypes } from '../../platform/events/event-types.ts';
import { presentedUser } from '../access/users/schema.ts';
import type { AnnotationEventType } from './annotations/annotation-event.ts';
import { annotation } from './examples.ts';
import { presentedAnnotation } from './presented.ts';

const data = presentedAnnotation
  .extend({
    actionUser: presentedUser.optional().meta({
      description: 'The user who acted, with the `agent` that acted for them, if one did.',
    }),
    commentIds: z.array(z.number()).optional().meta({ description: 'The comments of the event.' }),
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

const about = (summary: string): EventType => ({ summary, data, example });

const types: Record<AnnotationEventType, EventType> = {
  'comment_annotation.add': about('An annotation was added, with its first comments.'),
  'comment_annotation.delete': about('An annotation was deleted.'),
  'comment_annotation.status_change': about('The status was changed.'),
  'comment_annotation.assign': about('The assignee of the annotation was changed.'),
  'comment_annotation.priority_change': about('The priority was changed.'),
  'comment_annotation.access_mode_change': about('The visibility was changed.'),
  'comment_annotation.custom_list_change': about('The custom list was changed.'),
  'comment_annotation.approve': about('The annotation was approved.'),
  'comment_annotation.accept': about('The annotation was accepted.'),
  'comment_annotation.reject': about('The annotation was rejected.'),
  'comment_annotation.subscribe': about('A user subscribed to the annotation.'),
  'comment_annotation.unsubscribe': about('A user unsubscribed from the annotation.'),
  'comment_annotation.suggestion_accept': about('The suggestion was accepted.'),
  'comment_annotation.suggestion_reject': about('The suggestion was rejected.'),
  'comment.add': about('Comments were added to the annotation.'),
  'comment.update': about('Comments or other fields of the annotation were changed.'),
  'comment.delete': about('Comments were deleted.'),
  'comment.reaction_add': about('A reaction was added.'),
  'comment.reaction_delete': about('A reaction was deleted.'),
};

export const commentEventTypes: EventTypes = types;
