import { z } from 'zod';
import { batch, id } from '../../../api/fields.ts';
import { place } from '../annotations/schema.ts';
import { commentIds, commentUpdate, newComment } from '../input-schemas.ts';

const target = { ...place, annotationId: id };

export const AddComments = z.object({ ...target, commentData: batch(newComment) });
export type AddCommentsInput = z.infer<typeof AddComments>;

export const addedCommentIds = z.array(z.number());

export const GetComments = z.object({ ...target, commentIds: commentIds.optional() });
export type GetCommentsInput = z.infer<typeof GetComments>;

export const UpdateComments = z.object({ ...target, commentData: batch(commentUpdate) });
export type UpdateCommentsInput = z.infer<typeof UpdateComments>;

export const DeleteComments = z.object({ ...target, commentIds });
export type DeleteCommentsInput = z.infer<typeof DeleteComments>;
