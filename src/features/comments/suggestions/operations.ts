import { apiKeyOperation, router } from '../../../api/procedures.ts';
import { place } from '../examples.ts';
import { addSuggestions } from './add-suggestions.ts';
import { decideSuggestions } from './decide-suggestions.ts';
import { AddSuggestions, DecideSuggestions, suggestionOutcomes } from './schema.ts';

const editor = { ...place, editorId: 'body' };
const outcome = (message: string) => ({
  'later-launch': { success: true, annotationId: 'later-launch', message },
});
const decision = { ...editor, annotationIds: ['later-launch'] };

export const suggestionsRouter = router({
  add: apiKeyOperation({
    path: '/v2/suggestions/add',
    addsContent: true,
    summary: 'Add suggestions',
    description:
      'Suggests edits to quoted passages of text or rich text. Each becomes a comment annotation of type suggestion, which follows its passage. If a quote is not in the text, or is there several times and no position is given, only this suggestion fails, with `status` FAILED_PRECONDITION; `details` shows the current text.',
    message: 'Suggestion(s) added successfully.',
    userToken: true,
    errors: ['NOT_FOUND', 'FAILED_PRECONDITION', 'ABORTED'],
    example: {
      request: {
        ...editor,
        suggestions: [
          {
            annotationId: 'later-launch',
            quote: 'in May',
            replacement: 'in June',
            from: { userId: 'ada' },
            comment: 'The printers need more time.',
          },
        ],
      },
      response: outcome('Suggestion added.'),
    },
  })
    .input(AddSuggestions)
    .output(suggestionOutcomes)
    .mutation(({ ctx, input }) => addSuggestions(ctx, input)),

  accept: apiKeyOperation({
    path: '/v2/suggestions/accept',
    addsContent: true,
    summary: 'Accept suggestions',
    description:
      'Applies suggestions to the text with a minimal change that keeps formats, and resolves their threads, all in one commit. If the text of a suggestion has changed, only this suggestion fails, with `status` FAILED_PRECONDITION, and `details.present` is the current text. Accepting a suggestion again changes nothing.',
    message: 'Suggestion(s) accepted successfully.',
    userToken: true,
    errors: ['NOT_FOUND', 'FAILED_PRECONDITION'],
    example: { request: decision, response: outcome('Suggestion accepted.') },
  })
    .input(DecideSuggestions)
    .output(suggestionOutcomes)
    .mutation(({ ctx, input }) => decideSuggestions(ctx, input, 'accepted')),

  reject: apiKeyOperation({
    path: '/v2/suggestions/reject',
    summary: 'Reject suggestions',
    description: 'Resolves the threads of suggestions, and leaves the text as it is.',
    message: 'Suggestion(s) rejected successfully.',
    userToken: true,
    example: { request: decision, response: outcome('Suggestion rejected.') },
  })
    .input(DecideSuggestions)
    .output(suggestionOutcomes)
    .mutation(({ ctx, input }) => decideSuggestions(ctx, input, 'rejected')),
});
