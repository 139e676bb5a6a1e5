import { z } from 'zod';
import {
  agentIdentity,
  batch,
  checkFreeJson,
  freeObject,
  id,
  name,
  text,
} from '../../api/fields.ts';
import { importedTime, importedTimes } from '../../api/imported-times.ts';
import { user } from '../access/users/schema.ts';
import { accessContext } from '../permissions/schema.ts';

// Input fields of comments and annotations (specification 2.11).

/** A free JSON array: at most 64 KB and 32 levels. */
const freeList = z.array(z.unknown()).max(1000).superRefine(checkFreeJson);

const MAX_TEXT = 65_536;

const commentId = z.number().int().positive();

/** The server numbers new comments from the highest id on, so a given id must leave room above it. */
const newCommentId = commentId.max(2 ** 52);

export const reactionIcon = text(128).min(1);

/** Presentation fields of the caller's user interface, which are returned unchanged. */
const appearance = {
  name: name.optional(),
  color: text(64).optional(),
  lightColor: text(64).optional(),
};

const statusInput = z
  .object({
    id,
    type: z.enum(['default', 'ongoing', 'terminal']).optional(),
    ...appearance,
    svg: text(16_384).optional(),
  })
  .meta({ id: 'StatusInput' });
export type StatusInput = z.infer<typeof statusInput>;

const priorityInput = z.object({ id, ...appearance }).meta({ id: 'Priority' });

const visibilityInput = z
  .object({
    type: z.enum(['public', 'organizationPrivate', 'restricted']),
    organizationId: id.optional().meta({ description: "Default: the annotation's organization." }),
    userIds: z.array(id).max(1000).optional(),
  })
  .meta({
    id: 'VisibilityInput',
    description: 'Types other than public require that the API key has private comments enabled.',
  });

const suggestionInput = freeObject.refine(
  ({ status }) => status === undefined || typeof status === 'string',
  { path: ['status'], message: 'must be a string' },
);

/** The fields of a comment except its id, author and times. */
const commentContent = {
  commentText: text(MAX_TEXT).optional(),
  commentHtml: text(MAX_TEXT).optional().meta({ description: 'Stored and returned unchanged.' }),
  isDraft: z.boolean().optional(),
  to: z.array(user).max(1000).optional(),
  toOrganizationUserGroup: freeList.optional(),
  taggedUserContacts: z
    .array(user)
    .max(1000)
    .optional()
    .meta({ description: 'The users who are mentioned.' }),
  attachments: freeList.optional(),
  recorders: freeList.optional(),
  customList: freeList.optional(),
  agent: agentIdentity.optional().meta({
    description: 'Accepted from API keys. With a user token it is the agent of the token.',
  }),
};

const author = user.optional().meta({
  description:
    'The author. Required with an API key. With a user token, it is the user of the token.',
});

export const newComment = z
  .object({
    commentId: newCommentId.optional().meta({ description: 'Assigned by the server when absent.' }),
    from: author,
    triggerNotification: z
      .boolean()
      .optional()
      .meta({ description: 'Default: true for user tokens, false for API keys.' }),
    ...importedTimes,
    ...commentContent,
  })
  .meta({ id: 'NewComment' });
export type NewComment = z.infer<typeof newComment>;

export const commentUpdate = z
  .object({
    commentId,
    triggerNotification: z.boolean().optional(),
    ...commentContent,
  })
  .meta({ id: 'CommentUpdate' });

export const commentIds = batch(commentId);

/** The fields of an annotation that can be given on creation and changed later. */
const annotationFields = {
  location: freeObject.optional(),
  locationId: z
    .union([id, z.number()])
    .optional()
    .meta({ description: 'Default: the one in `location`.' }),
  assignedTo: user.optional(),
  priority: priorityInput.optional(),
  context: accessContext.optional(),
  visibility: visibilityInput.optional(),
  suggestion: suggestionInput.optional(),
  customList: freeList.optional(),
  status: statusInput.optional(),
};

const newReaction = z
  .object({ commentId: newCommentId, icon: reactionIcon, from: user, lastUpdated: importedTime })
  .meta({ id: 'NewReaction' });

export const annotationInput = z
  .object({
    annotationId: id.optional(),
    commentData: batch(newComment),
    type: z.enum(['comment', 'suggestion']).default('comment'),
    pageInfo: freeObject.optional(),
    metadata: freeObject.optional(),
    subscribedGroups: freeObject.optional(),
    resolvedByUserId: id.optional().meta({
      description: 'The user who resolved the annotation, if an API key adds it as resolved.',
    }),
    reactions: z
      .array(newReaction)
      .max(1000)
      .optional()
      .meta({ description: 'Reactions to comments with a `commentId`. Accepted from API keys.' }),
    ...importedTimes,
    ...annotationFields,
  })
  .superRefine(({ commentData, reactions = [] }, check) => {
    const ids = new Set(commentData.map((comment) => comment.commentId));
    const index = reactions.findIndex((reaction) => !ids.has(reaction.commentId));
    if (index === -1) return;
    const message = 'is not the commentId of a comment in commentData';
    check.addIssue({ code: 'custom', path: ['reactions', index, 'commentId'], message });
  })
  .meta({ id: 'NewCommentAnnotation' });
export type AnnotationInput = z.infer<typeof annotationInput>;

/** Null removes the assignee, the priority or the context. */
export const updatedData = z
  .object({
    ...annotationFields,
    assignedTo: user.nullable().optional(),
    priority: priorityInput.nullable().optional(),
    context: accessContext.nullable().optional(),
    resolvedByUserId: id.optional(),
  })
  .refine((fields) => Object.values(fields).some((value) => value !== undefined), {
    message: 'must change at least one field',
  })
  .meta({ id: 'CommentAnnotationUpdate' });
export type UpdatedData = z.infer<typeof updatedData>;
