import { z } from 'zod';
import { agentIdentity, epochMs } from '../../api/fields.ts';
import { presentedUser } from '../access/users/schema.ts';

// Comments and annotations as read operations show them (specification 2.11).

/** Presentation fields of the caller's user interface, unchanged. */
const appearance = {
  name: z.string().optional(),
  color: z.string().optional(),
  lightColor: z.string().optional(),
};

const presentedStatus = z
  .looseObject({
    id: z.string(),
    type: z.enum(['default', 'ongoing', 'terminal']),
    ...appearance,
    svg: z.string().optional(),
  })
  .meta({ id: 'CommentStatus' });

const presentedPriority = z
  .looseObject({ id: z.string(), ...appearance })
  .meta({ id: 'CommentPriority' });

const presentedVisibility = z
  .looseObject({
    type: z.enum(['public', 'organizationPrivate', 'restricted']),
    organizationId: z.string().optional(),
    userIds: z.array(z.string()).optional(),
  })
  .meta({ id: 'CommentVisibility' });

const subscribers = z.record(
  z.string(),
  z
    .looseObject({ user: presentedUser, type: z.enum(['auto', 'manual']) })
    .meta({ id: 'CommentSubscriber' }),
);

export const presentedReaction = z
  .object({
    // The id of the reaction itself. Its thread is `commentAnnotationId`.
    annotationId: z.string(),
    type: z.literal('reaction'),
    icon: z.string(),
    commentAnnotationId: z.string(),
    locationId: z.union([z.string(), z.number()]).optional(),
    location: z.looseObject({}).optional(),
    context: z.looseObject({}).optional(),
    lastUpdated: epochMs,
    fromUsers: z.array(z.object({ lastUpdated: epochMs, from: presentedUser })),
  })
  .meta({ id: 'Reaction' });
export type PresentedReaction = z.infer<typeof presentedReaction>;

export const presentedComment = z
  .looseObject({
    commentId: z.number(),
    type: z.literal('text'),
    status: z.enum(['added', 'updated']),
    isDraft: z.boolean(),
    isCommentTextAvailable: z.boolean(),
    commentText: z.string(),
    commentHtml: z.string(),
    createdAt: epochMs,
    lastUpdated: z.string().meta({ description: 'ISO 8601' }),
    to: z.array(presentedUser),
    toOrganizationUserGroup: z.array(z.unknown()),
    taggedUserContacts: z.array(presentedUser),
    attachments: z.array(z.unknown()),
    recorders: z.array(z.unknown()),
    customList: z.array(z.unknown()),
    agent: agentIdentity.optional(),
    reactionAnnotationIds: z.array(z.string()),
    reactionAnnotations: z.array(presentedReaction),
    from: presentedUser,
  })
  .meta({ id: 'Comment' });
export type PresentedComment = z.infer<typeof presentedComment>;

export const presentedAnnotation = z
  .looseObject({
    annotationId: z.string(),
    annotationNumber: z.number(),
    annotationIndex: z.number(),
    type: z.enum(['comment', 'suggestion']),
    createdAt: epochMs,
    lastUpdated: epochMs,
    hasDraftComments: z.boolean(),
    from: presentedUser,
    status: presentedStatus,
    resolvedByUserId: z.string().optional(),
    assignedTo: presentedUser.optional(),
    priority: presentedPriority.optional(),
    visibilityConfig: presentedVisibility,
    location: z.looseObject({}).optional(),
    locationId: z.union([z.string(), z.number()]).optional(),
    suggestion: z.looseObject({}).optional(),
    agent: agentIdentity.optional(),
    pageInfo: z.looseObject({}).optional(),
    context: z
      .object({
        access: z.record(z.string(), z.array(z.string())),
        accessFields: z.array(z.string()),
      })
      .optional(),
    metadata: z.looseObject({}),
    subscribedUsers: subscribers,
    unsubscribedUsers: subscribers,
    subscribedGroups: z.looseObject({}),
    customList: z.array(z.unknown()),
    comments: z.array(presentedComment),
  })
  .meta({ id: 'CommentAnnotation' });
export type PresentedAnnotation = z.infer<typeof presentedAnnotation>;
