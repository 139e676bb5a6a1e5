import { z } from 'zod';
import { id } from '../../../api/fields.ts';
import { lastEventId } from '../../../api/follow.ts';
import { presentedUser } from '../../access/users/schema.ts';
import { presentedEvent } from '../../events/schema.ts';
import { ANNOTATION_EVENTS } from '../annotations/annotation-event.ts';
import { presentedAnnotation } from '../response-schemas.ts';

export const CommentChanges = z.object({ organizationId: id, documentId: id, lastEventId });
export type CommentChangesInput = z.infer<typeof CommentChanges>;

const DELETED = 'comment_annotation.delete';

const changed = presentedEvent.extend({
  type: z.enum(ANNOTATION_EVENTS).exclude([DELETED]),
  data: presentedAnnotation.extend({
    actionUser: presentedUser.optional(),
    commentIds: z
      .array(z.number())
      .optional()
      .meta({ description: 'The comments that the change is about.' }),
    previous: z
      .looseObject({})
      .optional()
      .meta({ description: 'The changed parts, as they were before.' }),
  }),
});

const deleted = presentedEvent.extend({
  type: z.literal(DELETED),
  data: z
    .object({ annotationId: z.string() })
    .meta({ description: 'Also sent when the subscriber may no longer see the annotation.' }),
});

/** One change to an annotation or its contents. */
export const commentChange = z.discriminatedUnion('type', [deleted, changed]);
export type CommentChange = z.infer<typeof commentChange>;
