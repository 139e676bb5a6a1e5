import { outcomes } from '../../../api/fields.ts';
import { apiKeyOperation, router } from '../../../api/procedures.ts';
import { place } from '../examples.ts';
import { addReaction, deleteReaction, Reaction } from './reactions.ts';

const outcome = (message: string) => ({ headline: { success: true, id: 'headline', message } });
const reaction = { ...place, annotationId: 'headline', commentId: 1, icon: '👍', userId: 'grace' };

export const reactionsRouter = router({
  add: apiKeyOperation({
    path: '/v2/commentannotations/reactions/add',
    addsContent: true,
    summary: 'React to a comment',
    description: "Adds the user's reaction. Adding the same icon again changes nothing.",
    message: 'Reaction added successfully.',
    userToken: true,
    example: { request: reaction, response: outcome('Reaction added.') },
  })
    .input(Reaction)
    .output(outcomes)
    .mutation(({ ctx, input }) => addReaction(ctx, input)),

  delete: apiKeyOperation({
    path: '/v2/commentannotations/reactions/delete',
    summary: 'Delete a reaction',
    description: "Removes the user's reaction with this icon.",
    message: 'Reaction deleted successfully.',
    userToken: true,
    example: { request: reaction, response: outcome('Reaction deleted.') },
  })
    .input(Reaction)
    .output(outcomes)
    .mutation(({ ctx, input }) => deleteReaction(ctx, input)),
});
