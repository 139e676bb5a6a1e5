import { z } from 'zod';
import { personal } from '../annotations/schema.ts';
import { reactionIcon } from '../fields.ts';

export const Reaction = z.object({
  ...personal,
  commentId: z.number().int().positive(),
  icon: reactionIcon,
});
export type ReactionInput = z.infer<typeof Reaction>;
