import { z } from 'zod';
import { id, text } from '../../../api/fields.ts';
import { place } from '../annotations/schema.ts';
import { commentChange, commentIds, newComment } from '../fields.ts';

const target = { ...place, annotationId: id };
const many = <Item extends z.ZodType>(item: Item) =>
  z.array(item).min(1, 'must not be empty').max(1000, 'must have at most 1000 entries');

export const AddComments = z.object({ ...target, commentData: many(newComment) });
export type AddCommentsInput = z.infer<typeof AddComments>;

export const addedCommentIds = z.array(z.number());

export const GetComments = z.object({ ...target, commentIds: commentIds.optional() });
export type GetCommentsInput = z.infer<typeof GetComments>;

export const UpdateComments = z.object({ ...target, commentData: many(commentChange) });
export type UpdateCommentsInput = z.infer<typeof UpdateComments>;

export const DeleteComments = z.object({ ...target, commentIds });
export type DeleteCommentsInput = z.infer<typeof DeleteComments>;

/** One user and one annotation. Its place is looked up where it is not given. */
const personal = {
  organizationId: id.optional(),
  documentId: id.optional(),
  annotationId: id,
  userId: id.optional().meta({
    description: 'Required of API keys; with a user token it is that user.',
  }),
};

export const Personal = z.object(personal);
export type PersonalInput = z.infer<typeof Personal>;

export const Reaction = z.object({
  ...personal,
  commentId: z.number().int().positive(),
  icon: text(128).min(1, 'must not be empty'),
});
export type ReactionInput = z.infer<typeof Reaction>;
