import { z } from 'zod';

/** Comments and annotations as read operations show them (2.11). */

const shownUser = z.looseObject({ userId: z.string() });

export const presentedReaction = z.object({
  annotationId: z.string(),
  type: z.literal('reaction'),
  icon: z.string(),
  commentAnnotationId: z.string(),
  locationId: z.union([z.string(), z.number()]).optional(),
  location: z.looseObject({}).optional(),
  context: z.looseObject({}).optional(),
  lastUpdated: z.number(),
  fromUsers: z.array(z.object({ lastUpdated: z.number(), from: shownUser })),
});
export type PresentedReaction = z.infer<typeof presentedReaction>;

export const presentedComment = z.looseObject({
  commentId: z.number(),
  type: z.literal('text'),
  status: z.string().meta({ description: '`added` or `updated`.' }),
  isDraft: z.boolean(),
  isCommentTextAvailable: z.boolean(),
  commentText: z.string(),
  commentHtml: z.string(),
  createdAt: z.number(),
  lastUpdated: z.string().meta({ description: 'ISO 8601' }),
  taggedUserContacts: z.array(z.unknown()),
  attachments: z.array(z.unknown()),
  reactionAnnotationIds: z.array(z.string()),
  reactionAnnotations: z.array(presentedReaction),
  from: shownUser,
});
export type PresentedComment = z.infer<typeof presentedComment>;

export const presentedAnnotation = z.looseObject({
  annotationId: z.string(),
  annotationNumber: z.number(),
  annotationIndex: z.number(),
  type: z.enum(['comment', 'suggestion']),
  createdAt: z.number(),
  lastUpdated: z.number(),
  hasDraftComments: z.boolean(),
  from: shownUser,
  status: z.looseObject({ id: z.string(), type: z.string() }),
  resolvedByUserId: z.string().optional(),
  visibilityConfig: z.looseObject({ type: z.string() }),
  context: z
    .object({
      access: z.record(z.string(), z.array(z.string())),
      accessFields: z.array(z.string()),
    })
    .optional(),
  metadata: z.looseObject({}),
  subscribedUsers: z.record(z.string(), z.looseObject({ user: shownUser, type: z.string() })),
  unsubscribedUsers: z.record(z.string(), z.looseObject({ user: shownUser, type: z.string() })),
  subscribedGroups: z.looseObject({}),
  customList: z.array(z.unknown()),
  comments: z.array(presentedComment),
});
export type PresentedAnnotation = z.infer<typeof presentedAnnotation>;
