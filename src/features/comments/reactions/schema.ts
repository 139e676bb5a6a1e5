import { z } from 'zod';
import { text } from '../../../api/fields.ts';
import { personal } from '../annotations/schema.ts';

export const Reaction = z.object({
  ...personal,
  commentId: z.number().int().positive(),
  icon: text(128).min(1, 'must not be empty'),
});
export type ReactionInput = z.infer<typeof Reaction>;
